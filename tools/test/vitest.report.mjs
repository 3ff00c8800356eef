import { relative, sep } from 'node:path';

/**
 * What a suite came to.
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Outcome
 */

/** @typedef {{ file: string, test: string, reason: string }} Failure a test that failed, and the first line of its error */

/**
 * The part of vitest's JSON report that is read here.
 * @typedef {object} VitestReport
 * @property {readonly { name: string, status: string, assertionResults: readonly Assertion[] }[]} testResults
 * @typedef {{ status: string, title: string, ancestorTitles: readonly string[], failureMessages?: readonly string[] }} Assertion
 */

/**
 * Counts a report. A file that fails outside its tests, and a run that fails outside its files, count as a failure each.
 * @param {VitestReport | null} report null where vitest wrote none
 * @param {boolean} succeeded whether vitest ended with 0
 * @param {string} root what file names are relative to
 * @param {readonly string[]} [troubles] what else went wrong, a failure each
 * @returns {Outcome & { failures: Failure[], passes: Set<string> }} `failures` is shorter than `failed` where something failed outside of the tests
 */
export function readReport(report, succeeded, root, troubles = []) {
  let passed = 0;
  let failed = 0;
  /** @type {string[]} */
  const skipped = [];
  /** @type {Failure[]} */
  const failures = [];
  /** @type {Set<string>} */
  const passes = new Set();
  for (const { name, status, assertionResults } of report?.testResults ?? []) {
    const file = relative(root, name).replaceAll(sep, '/');
    let failedHere = 0;
    for (const { status: result, title, ancestorTitles, failureMessages = [] } of assertionResults) {
      const test = [file, ...ancestorTitles, title].join(' > ');
      if (result === 'failed') {
        failedHere += 1;
        failures.push({ file, test, reason: failureMessages[0]?.split('\n', 1)[0] ?? '' });
      } else if (result === 'passed') {
        passed += 1;
        passes.add(test);
      } else skipped.push(test);
    }
    failed += status === 'failed' ? Math.max(failedHere, 1) : failedHere;
  }
  failed += troubles.length;
  if (failed === 0 && (!succeeded || !report)) failed = 1;
  return { passed, failed, skipped, failures, passes };
}
