/** @param {number} instant epoch ms */
export function clockTime(instant) {
  return new Date(instant).toISOString().slice(11, 19);
}

/** @param {number} cents */
export function money(cents) {
  return (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** @param {number} ms */
export function span(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
