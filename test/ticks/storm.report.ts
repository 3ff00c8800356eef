import type { StormReport } from './storm.run.js';
import type { JobVerdict } from './storm.verdict.js';

/** A report for people, a figure per line. */
export function describeStorm({ plan, kills, killedRunners, restarts, ownEnds, jobs }: StormReport): string {
  const { seed, duration, instances } = plan;
  return [
    `storm of ${duration / 1000} s over ${instances} instances, seed ${seed}`,
    `  kills of instances      ${kills} (${killedRunners} of them inside a run)`,
    `  restarts of Redis       ${restarts}`,
    `  instances that ended by themselves ${ownEnds.length}`,
    ...ownEnds.map((line) => `      ${line}`),
    ...[...jobs].flatMap(([job, verdict]) => describeJob(job, verdict)),
  ].join('\n');
}

function describeJob(job: string, verdict: JobVerdict): string[] {
  const { ticks, runs, completed, attempts, retried, reasons, overlap, violations, rows } = verdict;
  const list = (counts: ReadonlyMap<unknown, number>) =>
    [...counts].toSorted().map(([what, times]) => `      ${times} × ${String(what)}`);
  return [
    `  job "${job}"`,
    `    ticks ${ticks}, runs ${runs}, ticks completed ${completed}, longest overlap ${overlap.toFixed(1)} ms`,
    '    ticks by their last attempt',
    ...list(attempts),
    ...(retried.length === 0
      ? []
      : ['    ticks with more than one', ...retried.map((line) => `      ${line}`)]),
    '    not run, or not to the end',
    ...list(reasons),
    `    violations ${violations.length}`,
    ...violations.map((line) => `      ${line}`),
    // Only where somebody has to find out why.
    ...(violations.length === 0 ? [] : rows.map((row) => `      ${JSON.stringify(row)}`)),
  ];
}
