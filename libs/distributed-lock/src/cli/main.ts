#!/usr/bin/env node
import { runCommandLine } from './command.runner.js';

// Whoever reads may have read enough, as `head` does.
process.stdout.on('error', () => process.exit());

process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
// What may still be open, such as a socket to a server that stands still, is not worth waiting for.
setTimeout(() => process.exit(), 1000).unref();
