import { setTimeout as sleep } from 'node:timers/promises';
import { amountOf } from './brief.mjs';
import { numberOf, quantile, samplesOf } from './samples.mjs';

/** How long waiters stand in line before the release, in ms: those that listen have subscribed, those that poll are at their pace. */
const SETTLE = 300;

/** Bursts of a round, and for how long another one is begun, in ms: those that keep a slow pace are long. */
const BURSTS = 5;
const TIME = amountOf(1500);

/** What a round is. */
export const ROUND = `A round is ${BURSTS} bursts, or as many as are begun in ${TIME / 1000} s.`;

/** @typedef {{ holder: number, waiting: readonly number[], each: number }} Cast processes, and waiters of each that waits */

/**
 * Waiters of several processes behind one holder, which releases; and again.
 * @param {import('../bench.types.js').Team} team
 * @param {Cast} cast
 */
export async function bursts(team, cast) {
  const end = performance.now() + TIME;
  const all = [await burst(team, cast)];
  while (all.length < BURSTS && performance.now() < end) all.push(await burst(team, cast));
  const gaps = all.flatMap((one) => one.gaps);
  const sum = (/** @type {'commands' | 'inversions'} */ key) =>
    all.reduce((total, one) => total + one[key], 0);
  return {
    perSecond: quantile(
      all.map(({ perSecond }) => perSecond),
      0.5,
    ),
    gapP50: quantile(gaps, 0.5),
    gapP99: quantile(gaps, 0.99),
    trips: sum('commands') / gaps.length,
    inversions: sum('inversions') / all.length,
  };
}

/** @param {import('../bench.types.js').Team} team @param {Cast} cast */
async function burst(team, { holder, waiting, each }) {
  const name = `${team.prefix}:burst`;
  await team.ask(holder, 'hold', { name });
  await Promise.all(
    waiting.map((process) => team.ask(process, 'wait', { name, count: each, manner: team.manner })),
  );
  await sleep(SETTLE);
  const { result, commands } = await team.counting(async () => {
    const { at } = await team.ask(holder, 'release');
    const drained = await Promise.all(waiting.map((process) => team.ask(process, 'drained')));
    return { at: Number(at), drained };
  });
  const { at, drained } = result;
  const grants = samplesOf(drained, 'grants').toSorted((one, other) => one - other);
  return {
    commands,
    perSecond: (grants.length * 1000) / ((grants.at(-1) ?? NaN) - at),
    gaps: grants.map((grant, index) => (grant - (grants[index - 1] ?? at)) * 1000),
    inversions: drained.reduce((total, figures) => total + numberOf(figures, 'inversions'), 0),
  };
}

/** @type {readonly import('../bench.types.js').Measure[]} */
export const BURST_COLUMNS = [
  { key: 'gapP50', title: 'gap p50 µs', digits: 1 },
  { key: 'gapP99', title: 'gap p99 µs', digits: 0 },
  { key: 'trips', title: 'round trips a hold', digits: 2 },
  { key: 'inversions', title: 'out of order', digits: 0 },
];
