#!/usr/bin/env node
import { runCommandLine } from './command.runner.js';

process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
// What may still be open, such as a socket to a server that stands still, is not worth waiting for.
setTimeout(() => process.exit(), 1000).unref();
