/** @typedef {import('../run/rounds.mjs').Result} Result */

/**
 * What peers reached on another machine, as a ratio to the raw script pair: a peer that stays far behind that here may be set up
 * badly, and its row says less than it seems to.
 * @type {Readonly<Record<string, Readonly<Record<string, number>>>>}
 */
const REACHED = {
  S1: { 'redis-semaphore': 1.04, 'redlock 4': 0.94, 'redlock 5 beta': 0.95, '@sesamecare-oss/redlock': 0.91 },
  S2: { 'redis-semaphore': 0.89, 'redlock 4': 0.84, 'redlock 5 beta': 0.77, '@sesamecare-oss/redlock': 0.75 },
};

/** How far it may differ. */
const TOLERANCE = 0.2;

/**
 * Peers whose ratio to the raw pair is not what it was elsewhere.
 * @param {string} scenario its id
 * @param {readonly Result[]} results
 * @param {string} key of what is compared
 * @returns {string[]} a sentence for each
 */
export function strangePeers(scenario, results, key) {
  const raw = results.find(({ entry }) => entry.role === 'limit')?.figures[key] ?? NaN;
  return Object.entries(REACHED[scenario] ?? {}).flatMap(([label, reached]) => {
    const ratio = (results.find(({ entry }) => entry.label === label)?.figures[key] ?? NaN) / raw;
    if (Number.isNaN(ratio) || Math.abs(ratio / reached - 1) <= TOLERANCE) return [];
    return [`${label}: ${ratio.toFixed(2)} × the raw pair here, ${reached.toFixed(2)} × on another machine.`];
  });
}
