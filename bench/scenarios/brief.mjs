/** `BENCH_BRIEF=1` is for a test of the benchmark itself: it shows that all of it works, and its figures mean nothing. */
const IS_BRIEF = process.env['BENCH_BRIEF'] === '1';

/** A brief run has a share of the work. */
const SHARE = 20;

/**
 * @param {number} amount operations, or ms
 * @returns {number} in a brief run a share of them
 */
export function amountOf(amount) {
  return IS_BRIEF ? Math.ceil(amount / SHARE) : amount;
}
