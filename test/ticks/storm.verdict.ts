import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import type { JournalRun } from './storm.journal.js';
import { isRecorded } from './tick.fixtures.js';

/** What is known of one job after a storm. */
export interface JobEvidence {
  readonly policy: 'skip' | 'retry';
  /** Nominal instants that were due while the storm was watched. */
  readonly due: readonly number[];
  /** What the instances wrote into their own files. */
  readonly runs: readonly JournalRun[];
  /** What was read of the record, oldest first. */
  readonly rows: readonly TickRecord[];
  /** How long two runs may seem to overlap, in ms. */
  readonly tolerance: number;
}

export interface JobVerdict {
  readonly ticks: number;
  readonly runs: number;
  readonly completed: number;
  /** Ticks by the number of their last attempt. */
  readonly attempts: ReadonlyMap<number, number>;
  /** Ticks that needed more than one, and each of their runs. */
  readonly retried: readonly string[];
  /** Why ticks were not run, or not to their end. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The longest time for which two runs were seen at once, in ms. */
  readonly overlap: number;
  /** What must not be. */
  readonly violations: readonly string[];
  /** The record of those ticks, as it was read. */
  readonly rows: readonly TickRecord[];
}

/** Judges a job by what came from outside of the library, and by its record where nothing ran. */
export function judgeJob({ policy, due, runs, rows, tolerance }: JobEvidence): JobVerdict {
  const byTick = new Map<number, JournalRun[]>();
  for (const run of runs)
    if (due.includes(run.tick)) byTick.set(run.tick, [...(byTick.get(run.tick) ?? []), run]);
  // A gap may reach beyond what was watched.
  const own = rows.filter(({ tick, after = Infinity }) => due.includes(tick) || after < (due.at(-1) ?? 0));
  const overlap = longestOverlap(runs);
  const violations = [
    ...[...byTick].flatMap(([tick, its]) => judgeRuns(tick, its, policy)),
    ...(policy === 'retry' ? unfinished(due, byTick, own) : []),
    ...due
      .filter((tick) => !isAccountedFor(tick, byTick.get(tick) ?? [], own))
      .map((tick) => `${tick} is neither run nor recorded`),
    ...own.filter(isUnexplained).map(({ tick, outcome }) => `${tick} is ${outcome} without a reason`),
    ...(overlap > tolerance ? [`two runs at once for ${overlap.toFixed(0)} ms`] : []),
  ];
  return {
    ticks: due.length,
    runs: [...byTick.values()].flat().length,
    completed: [...byTick.values()].filter((its) => its.some(isCompleted)).length,
    attempts: count([...byTick.values()].map((its) => Math.max(...its.map(({ attempt }) => attempt)))),
    retried: [...byTick]
      .toSorted(([one], [other]) => one - other)
      .filter(([, its]) => its.some(({ attempt }) => attempt > 1))
      .map(([tick, its]) => describe(tick, its)),
    reasons: count(
      own.flatMap(({ outcome, reason }) =>
        reason === undefined ? [] : [`${outcome}: ${withoutNames(reason)}`],
      ),
    ),
    overlap,
    violations,
    rows: own,
  };
}

function judgeRuns(tick: number, runs: readonly JournalRun[], policy: 'skip' | 'retry'): string[] {
  if (policy === 'skip' && runs.length > 1) return [`${describe(tick, runs)}: run twice under skip`];
  const attempts = runs.map(({ attempt }) => attempt);
  if (new Set(attempts).size < attempts.length) return [`${describe(tick, runs)}: one attempt run twice`];
  return [];
}

/** Ticks that were granted, as the files or the record say, and that nobody ran to the end. */
function unfinished(
  due: readonly number[],
  runs: ReadonlyMap<number, readonly JournalRun[]>,
  rows: readonly TickRecord[],
): string[] {
  return due.flatMap((tick) => {
    const its = runs.get(tick) ?? [];
    const isGranted = its.length > 0 || rows.some((row) => row.tick === tick && row.attempt > 0);
    return isGranted && !its.some(isCompleted)
      ? [`${describe(tick, its)}: granted, and never completed`]
      : [];
  });
}

function isAccountedFor(tick: number, runs: readonly JournalRun[], rows: readonly TickRecord[]): boolean {
  return (
    runs.some(isCompleted) ||
    isRecorded(
      rows.filter(({ outcome }) => outcome !== 'running'),
      tick,
    )
  );
}

function isUnexplained({ outcome, reason }: TickRecord): boolean {
  return ['missed', 'overlapped', 'crashed', 'failed'].includes(outcome) && (reason ?? '') === '';
}

function isCompleted({ outcome }: JournalRun): boolean {
  return outcome === 'completed';
}

function longestOverlap(runs: readonly JournalRun[]): number {
  let longest = 0;
  let busyUntil = -Infinity;
  for (const { start, end } of runs.toSorted((one, other) => one.start - other.start)) {
    longest = Math.max(longest, Math.min(busyUntil, end) - start);
    busyUntil = Math.max(busyUntil, end);
  }
  return longest;
}

function describe(tick: number, runs: readonly JournalRun[]): string {
  const inOrder = runs.toSorted((one, other) => one.attempt - other.attempt);
  const list = inOrder.map(({ attempt, outcome, instance }) => `${attempt} ${outcome} by ${instance}`);
  return `${tick} (${list.join(', ') || 'no run'})`;
}

/** One reason for all holders. */
function withoutNames(reason: string): string {
  return reason.replace(/(is held by) .*/, '$1 …');
}

function count<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
