/** `npm run demo`: three instances, one schedule, one crash, and a verdict. Exit code 0 when it is good, 1 when it is not. */
import { readOptions, USAGE } from './demo.options.mjs';
import { runDemo } from './demo.run.mjs';
import { Screen } from './terminal.screen.mjs';

const INTERRUPTED = 130;
const screen = new Screen();
const interruption = new AbortController();

for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(name, () => {
    // Asked twice: what we started is tied to us, and ends too.
    if (interruption.signal.aborted) process.exit(INTERRUPTED);
    interruption.abort();
  });
}

/** @returns {Promise<number>} the exit code */
async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    screen.line(USAGE);
    return 0;
  }
  return (await runDemo(options, screen, interruption.signal)) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  screen.clearStatus();
  if (interruption.signal.aborted) {
    screen.line('interrupted; everything that was started is gone');
    process.exitCode = INTERRUPTED;
  } else {
    screen.line(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
