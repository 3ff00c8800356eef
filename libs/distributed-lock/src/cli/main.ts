#!/usr/bin/env node
import { runCommandLine } from './command.runner.js';

// The reader of the output may close it early, as `head` does.
process.stdout.on('error', () => process.exit());

// A terminal may go while a command of `run` works on under its lock: that must not end.
process.stderr.on('error', () => undefined);

void runCommandLine(process.argv.slice(2), process.env).then((exitCode) => {
  process.exitCode = exitCode;
  // An open resource, such as a socket to a server that does not respond, is not worth waiting for.
  setTimeout(() => process.exit(), 1000).unref();
});
