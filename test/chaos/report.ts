import type { ChaosMode, Topology } from './chaos.types.js';
import type { Overlap } from './check.exclusion.js';
import type { Verdict } from './checker.js';
import type { History } from './history.js';
import { isHold, type Call, type Hold } from './holds.js';
import type { UpdateCounts } from './register.counts.js';
import type { SecondOpinion } from './second.opinion.js';
import { MS, type Violation } from './violation.js';

/** Overlaps after a loss of data. */
export interface OverlapCount {
  readonly count: number;
  /** In ms. */
  readonly longest: number;
  /** The largest part of a lease that one of them lasted. */
  readonly share: number;
}

/** What came out of a run. */
export interface ChaosReport {
  readonly topology: Topology;
  readonly mode: ChaosMode;
  readonly seed: number;
  readonly seconds: number;
  /** By sort: calls, grants, and refusals by their code. */
  readonly operations: Readonly<Record<string, { readonly calls: number; readonly grants: number }>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly grants: number;
  /** In ms, from a call to its grant. */
  readonly longestWait: number;
  readonly violations: readonly (Violation & { readonly around: readonly string[] })[];
  /** All that there were, within their bounds or not, by the lease of who should have ended. */
  readonly overlaps: OverlapCount & { readonly renewed: OverlapCount; readonly fixed: OverlapCount };
  /** How often a lock was free while a live instance waited for it, and for how long at most, in ms. */
  readonly free: { readonly count: number; readonly longest: number };
  readonly updates: UpdateCounts;
  /** Writes that a register refused by their token. */
  readonly stale: number;
  readonly judged: Readonly<Record<string, number>>;
  readonly porcupine: SecondOpinion;
  /** What should not happen in a process: exceptions that nobody caught, an end by itself. */
  readonly troubles: readonly string[];
  /** Where the histories are, when there is something to look at. */
  readonly folder: string | undefined;
}

/** Of an error of the library. */
const CODE = /^[A-Z_]+$/;

/** The figures of a verdict. */
export function summarize(verdict: Verdict, history: History) {
  const operations: Record<string, { calls: number; grants: number }> = {};
  const refusals: Record<string, number> = {};
  let longestWait = 0;
  for (const call of verdict.calls) {
    const of = (operations[call.sort] ??= { calls: 0, grants: 0 });
    of.calls += 1;
    if (isHold(call)) {
      of.grants += 1;
      longestWait = Math.max(longestWait, call.granted.at - call.wanted.at);
    } else if (call.refused !== undefined) {
      refusals[call.refused.code] = (refusals[call.refused.code] ?? 0) + 1;
    }
  }
  const faults: Record<string, number> = {};
  for (const event of history.watched)
    if (event.kind === 'fault') faults[event.fault] = (faults[event.fault] ?? 0) + 1;
  return {
    operations,
    refusals,
    faults,
    calls: verdict.calls.length,
    grants: verdict.calls.filter(isHold).length,
    longestWait: longestWait / MS,
    violations: verdict.violations.map((violation) => ({
      ...violation,
      around: linesAround(violation, history, verdict.calls),
    })),
    overlaps: {
      ...countOverlaps(verdict.overlaps),
      renewed: countOverlaps(verdict.overlaps.filter(({ isRenewed }) => isRenewed)),
      fixed: countOverlaps(verdict.overlaps.filter(({ isRenewed }) => !isRenewed)),
    },
    free: { count: verdict.free.count, longest: verdict.free.longest / MS },
    stale: history.told.filter(({ kind }) => kind === 'stale').length,
    judged: verdict.judged,
    troubles: [
      ...history.told.flatMap((event) =>
        event.kind === 'trouble' ? [`worker ${event.worker}: ${event.text}`] : [],
      ),
      // An error that is none of the library's: of the harness, which then judges nothing, or a defect.
      ...Object.entries(refusals).flatMap(([code, count]) =>
        CODE.test(code) ? [] : [`${count} calls were refused by ${code}`],
      ),
      ...history.watched.flatMap((event) =>
        event.kind === 'signal' && event.what === 'exit' ? [`worker ${event.worker} ended by itself`] : [],
      ),
    ],
  };
}

function countOverlaps(overlaps: readonly Overlap[]): OverlapCount {
  return {
    count: overlaps.length,
    longest: Math.max(0, ...overlaps.map(({ lasted }) => lasted / MS)),
    share: Math.max(
      0,
      ...overlaps.map(({ lasted, former }) => lasted / MS / Math.max(1, former.granted.ttl)),
    ),
  };
}

/** Of the history of the same locks, so long before and after a violation, in µs. */
const AROUND = 400 * MS;
const SIGHTS = 120 * MS;
const MOST_LINES = 40;

function linesAround(violation: Violation, history: History, calls: readonly (Call | Hold)[]): string[] {
  const concerned = calls.filter(({ id }) => violation.calls.includes(id));
  const locks = new Set(concerned.flatMap((call) => call.locks));
  const neighbours = new Set(
    calls.filter((call) => call.locks.some((lock) => locks.has(lock))).map(({ id }) => id),
  );
  const isNear = ({ at }: { readonly at: number }) => Math.abs(at - violation.at) < AROUND;
  const told = history.told.filter((event) => {
    if (!('op' in event)) return false;
    const id = `${event.worker}.${event.life}.${event.op}`;
    return violation.calls.includes(id) || (neighbours.has(id) && isNear(event));
  });
  const watched = history.watched.filter(
    (event) =>
      isNear(event) &&
      event.kind !== 'left' &&
      (event.kind !== 'seen' || (locks.has(event.lock) && Math.abs(event.at - violation.at) < SIGHTS)),
  );
  return [...told, ...watched]
    .toSorted((one, other) => one.at - other.at)
    .slice(0, MOST_LINES)
    .map((event) => JSON.stringify(event));
}

/** All that makes a run a failure: an update that was lost although it checked its token is one, too. */
export function wrongIn({ violations, troubles, porcupine, updates }: Omit<ChaosReport, 'folder'>): string[] {
  return [
    ...violations.map(({ invariant, what }) => `${invariant}: ${what}`),
    ...troubles,
    ...porcupine.illegal.map(({ key, kind }) => `no order of the calls explains ${key} (${kind})`),
    ...Object.entries(updates).flatMap(([register, { lost }]) =>
      register.endsWith('fenced') && lost !== 0 ? [`${lost} updates of ${register} are lost`] : [],
    ),
  ];
}

/** A report for people. */
export function describeReport(report: ChaosReport): string {
  const { topology, mode, seed, seconds, updates, judged } = report;
  const lines = [
    `chaos on ${topology}, ${mode}, ${seconds} s, CHAOS_SEED=${seed}`,
    `  operations   ${report.calls} calls, ${report.grants} grants: ${Object.entries(report.operations)
      .map(([sort, { calls, grants }]) => `${sort} ${grants}/${calls}`)
      .join(', ')}`,
    `  refusals     ${counts(report.refusals)}`,
    `  faults       ${counts(report.faults)}`,
    `  longest wait ${report.longestWait.toFixed(0)} ms`,
    `  judged       ${counts(judged)}`,
    `  overlaps     ${describeOverlaps('renewed', report.overlaps.renewed)}; ${describeOverlaps('fixed', report.overlaps.fixed)}`,
    `  free, wanted ${report.free.count} times, the longest ${report.free.longest.toFixed(0)} ms`,
    `  lost updates ${Object.entries(updates)
      .map(([name, { lost, writes }]) => `${name} ${lost} of ${writes}`)
      .join(', ')}; ${report.stale} refused by their token`,
    `  porcupine    ${describeOpinion(report.porcupine)}`,
    `  violations   ${report.violations.length}${report.troubles.length === 0 ? '' : `, troubles ${report.troubles.length}`}`,
  ];
  for (const [place, { invariant, what, around }] of report.violations.slice(0, 20).entries())
    lines.push(`  ${invariant}: ${what}`, ...(place < 3 ? around : []).map((line) => `      ${line}`));
  for (const { key, kind, stuck } of report.porcupine.illegal.slice(0, 10))
    lines.push(`  illegal: ${key} (${kind}), at ${stuck}`);
  for (const trouble of report.troubles.slice(0, 10)) lines.push(`  trouble: ${trouble}`);
  if (report.folder !== undefined) lines.push(`  histories in ${report.folder}`);
  return lines.join('\n');
}

function describeOpinion({ skipped, judged, operations, illegal, unknown, slowest }: SecondOpinion): string {
  if (skipped !== undefined) return `SKIPPED: ${skipped}`;
  const others = `illegal ${illegal.length}${unknown.length === 0 ? '' : `, unknown ${unknown.length}`}`;
  return `${counts(judged)}: ${operations} operations; ${others}; the slowest check ${slowest.toFixed(1)} ms`;
}

function describeOverlaps(lease: string, { count, longest, share }: OverlapCount): string {
  if (count === 0) return `${lease} leases 0`;
  return `${lease} leases ${count}, the longest ${longest.toFixed(0)} ms, at most ${(share * 100).toFixed(0)} % of the lease`;
}

function counts(of: Readonly<Record<string, number>>): string {
  return (
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  );
}
