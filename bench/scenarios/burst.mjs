import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, quantile, samplesOf } from './samples.mjs';

/** How long waiters stand in line before the release, in ms: those that listen have subscribed, those that poll are at their pace. */
const SETTLE = 300;

/**
 * Waiters of several processes behind one holder, which releases.
 * @param {import('../bench.types.js').Team} team
 * @param {{ holder: number, waiting: readonly number[], each: number }} cast processes, and waiters of each that waits
 */
export async function burst(team, { holder, waiting, each }) {
  const name = `${team.prefix}:burst`;
  await team.ask(holder, 'hold', { name });
  await Promise.all(waiting.map((process) => team.ask(process, 'wait', { name, count: each })));
  await sleep(SETTLE);
  const { result, commands } = await team.counting(async () => {
    const { at } = await team.ask(holder, 'release');
    const drained = await Promise.all(waiting.map((process) => team.ask(process, 'drained')));
    return { at: Number(at), drained };
  });
  const { at, drained } = result;
  const grants = samplesOf(drained, 'grants').toSorted((one, other) => one - other);
  const gaps = grants.map((grant, index) => (grant - (grants[index - 1] ?? at)) * 1000);
  const inversions = drained.reduce((sum, figures) => sum + numberOf(figures, 'inversions'), 0);
  return {
    perSecond: (grants.length * 1000) / ((grants.at(-1) ?? NaN) - at),
    gapP50: quantile(gaps, 0.5),
    gapP99: quantile(gaps, 0.99),
    trips: commands / grants.length,
    inversions,
  };
}

/** @type {readonly import('../bench.types.js').Measure[]} */
export const BURST_COLUMNS = [
  { key: 'gapP50', title: 'gap p50 µs', digits: 1 },
  { key: 'gapP99', title: 'gap p99 µs', digits: 0 },
  { key: 'trips', title: 'round trips a hold', digits: 2 },
  { key: 'inversions', title: 'out of order', digits: 0 },
];
