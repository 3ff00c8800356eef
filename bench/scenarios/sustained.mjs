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
    gapP50: quantile(gaps(samplesOf(result, 'grants'), samplesOf(result, 'releases')), 0.5),
  };
}

/** From each release to the grant that came next, in µs. @param {number[]} grants @param {number[]} releases */
function gaps(grants, releases) {
  const events = [
    ...grants.map((at) => ({ at, isGrant: true })),
    ...releases.map((at) => ({ at, isGrant: false })),
  ].toSorted((one, other) => one.at - other.at);
  return events.flatMap(({ at, isGrant }, index) => {
    const before = events[index - 1];
    return isGrant && before !== undefined && !before.isGrant ? [(at - before.at) * 1000] : [];
  });
}
