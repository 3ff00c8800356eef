/**
 * @typedef {import('nestjs-distributed-lock').TickRecord} TickRecord
 * @typedef {import('./demo.types.js').Facts} Facts
 * @typedef {import('./demo.types.js').Kill} Kill
 * @typedef {import('./demo.types.js').Window} Window
 */

/**
 * What became of an instant of the window, in the words of the verdict.
 * @typedef {'completed' | 'crashed' | 'failed' | 'refused while the dead lease lived' |
 *   'refused while the run before went on' | 'refused for no reason' | 'still running' | 'missed' | 'unaccounted for'} Fate
 */

/** The one refusal that a crash explains. */
export const DEAD_LEASE = 'refused while the dead lease lived';

/** A lock whose holder died is granted again within its lease and this, ms. */
const GRANTED_WITHIN = 100;

/**
 * @param {Window} window
 * @returns {number[]}
 */
export function instantsOf({ first, last, period }) {
  return Array.from(
    { length: Math.floor((last - first) / period) + 1 },
    (_, index) => first + index * period,
  );
}

/**
 * @param {number} instant
 * @param {Pick<Facts, 'records' | 'kills' | 'lease'>} facts
 * @returns {Fate}
 */
export function fateOf(instant, { records, kills, lease }) {
  const row = records.find(({ tick }) => tick === instant) ?? records.find((other) => covers(other, instant));
  if (!row) return 'unaccounted for';
  switch (row.outcome) {
    case 'running':
      return 'still running';
    case 'overlapped':
      return refusal(row, records, kills, lease);
    case 'missed':
      return row.reason ? 'missed' : 'unaccounted for';
    case 'abandoned':
    case 'handed-over':
    case 'paused':
    case 'unknown':
      return 'unaccounted for';
    default:
      return row.outcome;
  }
}

/**
 * A row of missed ticks stands for all instants of a gap.
 * @param {TickRecord} row
 * @param {number} instant
 */
function covers({ outcome, after, tick }, instant) {
  return outcome === 'missed' && after !== undefined && after < instant && instant < tick;
}

/**
 * @param {TickRecord} row
 * @param {readonly TickRecord[]} records
 * @param {readonly Kill[]} kills
 * @param {number} lease
 * @returns {Fate}
 */
function refusal(row, records, kills, lease) {
  if (kills.some(({ tick, at }) => tick < row.tick && row.start <= at + lease + GRANTED_WITHIN)) {
    return DEAD_LEASE;
  }
  const goesOn = records.some(
    ({ tick, start, end }) => tick < row.tick && start <= row.start && end !== undefined && end >= row.start,
  );
  return goesOn ? 'refused while the run before went on' : 'refused for no reason';
}
