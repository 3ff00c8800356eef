import { appendFileSync } from 'node:fs';

/** A reporter of vitest's that writes what went wrong outside of all tests to the file that `SUITE_FAILURES` names: no second look makes that good. */
export default class TroubleReporter {
  /**
   * @param {unknown} _
   * @param {readonly { message?: string }[]} errors
   */
  onTestRunEnd(_, errors) {
    const file = process.env['SUITE_FAILURES'];
    if (file === undefined) return;
    for (const { message } of errors) appendFileSync(file, `unhandled: ${message ?? 'an error'}\n`);
  }
}
