import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';

/**
 * An error that vitest has caught outside of a test: with the file that ran then, and the test.
 * @typedef {{ message?: string, stack?: string, VITEST_TEST_PATH?: string, VITEST_TEST_NAME?: string }} Trouble
 */

/** A reporter of vitest's that writes what went wrong outside of all tests to the file that `SUITE_FAILURES` names, a line each: no second look makes that good. */
export default class TroubleReporter {
  /**
   * @param {unknown} _
   * @param {readonly Trouble[]} errors
   */
  onTestRunEnd(_, errors) {
    const file = process.env['SUITE_FAILURES'];
    if (file === undefined) return;
    for (const error of errors) appendFileSync(file, `unhandled: ${describe(error)}\n`);
  }
}

/**
 * Most of these errors come from a client of Redis, long after the call: the stack tells which one at least.
 * @param {Trouble} error
 */
function describe({ message = 'an error', stack = '', VITEST_TEST_PATH: path, VITEST_TEST_NAME: test }) {
  const places = stack.split('\n').filter((line) => /^\s*at /.test(line));
  const during =
    path === undefined ? [] : [`during ${[relative(ROOT, path), test].filter(Boolean).join(' > ')}`];
  return [message.replaceAll('\n', ' '), ...during, ...places.slice(0, 8).map((line) => line.trim())].join(
    ' | ',
  );
}
