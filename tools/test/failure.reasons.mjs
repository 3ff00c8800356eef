/** Lines in which a check names what failed. */
const NAMED = /\bFAILED\b|\b\w*Error: /;

/** With more of them than this, the first are enough. */
const MOST_NAMED = 5;

/** A check that names nothing says at its end why it failed. */
const LAST = 3;

/**
 * What the summary says of a check that failed: where it is all that is kept of the output, the output has to be in it.
 * @param {string} output
 * @returns {string[]} lines of it
 */
export function reasonsOf(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const named = lines.filter((line) => NAMED.test(line)).slice(0, MOST_NAMED);
  return [...new Set([...named, ...lines.slice(-LAST)])];
}
