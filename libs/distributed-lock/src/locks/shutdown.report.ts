import type { LockEngine } from './lock.engine.js';
import { machine } from '../timing/machine.js';

/** The maximum of named locks. */
const NAMED = 5;

/**
 * The reasons why a shutdown waits: each lock that is held or waited for, with its holders and since when, and calls without an answer. Empty when
 * there are none.
 */
export function reportOf(engines: readonly LockEngine[]): string[] {
  const reasons = engines.flatMap((engine) => [...heldBy(engine), ...countersOf(engine)]);
  const all = [...new Set(reasons)];
  const rest = all.length - NAMED;
  return rest > 0 ? [...all.slice(0, NAMED), `and ${rest} more`] : all;
}

function heldBy({ localLocks }: LockEngine): string[] {
  return [...localLocks.values()].flatMap(({ target, holds, existingWaiters }) => {
    const held = holds.map(({ since, lease, kind }) => {
      const by = kind === 'tick' ? 'a run of that job' : lease.holder;
      return `lock "${target.name}" is held by ${by} ${sinceWhen(since)}`;
    });
    return [...held, ...waitersOf(target.name, existingWaiters?.size ?? 0)];
  });
}

function countersOf({ counters, context }: LockEngine): string[] {
  const { scopes: sections, semaphores, latches } = counters;
  return [
    ...sections.map(
      ({ name, permits, since }) =>
        `${permits} permits of semaphore "${name}" are in use ${sinceWhen(since)}`,
    ),
    ...[...semaphores.values(), ...latches.values()].flatMap(({ target, waiters }) =>
      waitersOf(target.name, waiters.size),
    ),
    ...(context.backgroundRelease.hasCallsWithoutLease
      ? ['semaphores or latches have calls that Redis has not answered']
      : []),
  ];
}

function waitersOf(name: string, waiters: number): string[] {
  return waiters === 0 ? [] : [`callers that wait for "${name}": ${waiters}`];
}

/** @param since epoch ms */
function sinceWhen(since: number): string {
  return `since ${new Date(since).toISOString()} (${Math.max(0, Math.round(machine.global.Date.now() - since))} ms)`;
}
