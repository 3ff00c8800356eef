import { jainIndex, numberOf, quantile, samplesOf } from './samples.mjs';

/**
 * Callers of all processes take one lock again and again.
 * @param {import('../bench.types.js').Team} team
 * @param {{ callers: number, ms: number, work?: number, processes?: readonly number[] }} options `processes`: only those
 */
export async function sustained(team, { callers, ms, work = 0, processes }) {
  const name = `${team.prefix}:sustained`;
  const options = { name, callers, ms, work };
  const { result, commands } = await team.counting(() =>
    processes === undefined
      ? team.all('loop', options)
      : Promise.all(processes.map((process) => team.ask(process, 'loop', options))),
  );
  const counts = result.map((figures) => numberOf(figures, 'count'));
  const holds = counts.reduce((sum, count) => sum + count, 0);
  return {
    perSecond: (holds * 1000) / ms,
    trips: commands / holds,
    jain: jainIndex(counts),
    longest:
      Math.max(...result.map((figures) => numberOf(figures, 'waitMost'))) /
      quantile(
        result.map((figures) => numberOf(figures, 'waitP50')),
        0.5,
      ),
    ...gapsOf(result),
  };
}

/**
 * The medians of the time from a release to the next grant, in µs: where the next holder is in the same process, and
 * where it is in another one. A median over both would be the one that is more frequent.
 * @param {readonly import('../bench.types.js').Figures[]} processes
 */
function gapsOf(processes) {
  const events = processes
    .flatMap((figures, process) => [
      ...samplesOf([figures], 'grants').map((at) => ({ at, process, isGrant: true })),
      ...samplesOf([figures], 'releases').map((at) => ({ at, process, isGrant: false })),
    ])
    .toSorted((one, other) => one.at - other.at);
  const gaps = events.flatMap(({ at, process, isGrant }, index) => {
    const before = events[index - 1];
    if (!isGrant || before === undefined || before.isGrant) return [];
    return [{ us: (at - before.at) * 1000, isInside: process === before.process }];
  });
  const inside = gaps.filter(({ isInside }) => isInside);
  const median = (/** @type {readonly { readonly us: number }[]} */ some) =>
    quantile(
      some.map(({ us }) => us),
      0.5,
    );
  return {
    gapInside: median(inside),
    gapBetween: median(gaps.filter(({ isInside }) => !isInside)),
    insidePercent: (inside.length * 100) / gaps.length,
  };
}
