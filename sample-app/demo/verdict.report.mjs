import { span } from './text.format.mjs';

/**
 * @typedef {import('./demo.types.js').LoadCounts} LoadCounts
 * @typedef {import('./demo.types.js').Verdict} Verdict
 * @typedef {import('./terminal.screen.mjs').Screen} Screen
 */

/**
 * @param {Screen} screen
 * @param {Verdict} verdict
 * @param {readonly string[]} notes what a reader may want to know, but nothing hangs on
 */
export function printVerdict(screen, { ok, checks }, notes) {
  screen.clearStatus();
  screen.line();
  screen.line(screen.paint('bold', 'VERDICT'));
  const width = Math.max(...checks.map(({ label }) => label.length));
  const values = Math.max(...checks.map(({ value }) => value.length));
  for (const check of checks) {
    const mark = check.ok ? screen.paint('green', 'ok ') : screen.paint('red', 'OFF');
    const text = `${check.label.padEnd(width)}  ${check.value.padStart(values)}  ${check.detail}`;
    screen.line(`  ${mark} ${text.trimEnd()}`);
  }
  for (const note of notes) screen.line(screen.paint('dim', `      ${note}`));
  screen.line();
  const wrong = checks.filter((check) => !check.ok).map(({ label }) => label);
  screen.line(
    ok
      ? screen.paint('green', 'PASSED: every tick ran once, and every cent is where it belongs.')
      : screen.paint('red', `FAILED: ${wrong.join(', ')}.`),
  );
}

/** @param {LoadCounts} counts */
export function describeLoad({ sent, done, waited, longestWait, refused, cutOff, failed }) {
  const parts = [`${sent} requests`, `${done} done`, `${waited} waited (longest ${span(longestWait)})`];
  parts.push(`${refused} refused`, `${cutOff} cut off`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(' · ');
}
