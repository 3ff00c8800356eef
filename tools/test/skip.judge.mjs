/**
 * One entry of allowed.skips.json: a test (`file > titles`), or all tests of a file, and why they may be skipped.
 * @typedef {{ test: string, reason: string }} AllowedSkip
 */

/**
 * Tells the skips that were agreed on from those that nobody expects.
 * @param {readonly string[]} skipped each as `file > titles`
 * @param {readonly AllowedSkip[]} allowed
 * @returns {{ expected: string[], unexpected: string[] }} the expected ones with their reason
 */
export function judgeSkips(skipped, allowed) {
  /** @type {string[]} */
  const expected = [];
  /** @type {string[]} */
  const unexpected = [];
  for (const test of skipped) {
    const entry = allowed.find(
      (candidate) => test === candidate.test || test.startsWith(`${candidate.test} > `),
    );
    if (entry?.reason) expected.push(`${test} (${entry.reason})`);
    else unexpected.push(test);
  }
  return { expected, unexpected };
}
