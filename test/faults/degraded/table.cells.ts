import { expect } from 'vitest';
import { LoopLag } from '../../support/faults/loop.lag.js';
import { scaled } from '../../support/slowness.js';
import { COMMAND_TIMEOUT } from './degraded.app.js';
import type { Episode } from './degraded.episode.js';
import type { Ending } from './repeated.calls.js';

/** Everything goes on by itself within this time of Redis' return, in ms. */
const SOON = 2000;

const lag = new LoopLag();

/** How exactly a bound is kept, in ms; what this process is late by itself is not the library's. */
const exactness = () => scaled(200) + 2 * lag.worst;

type Code = 'UNAVAILABLE' | 'REJECTED_BY_REDIS';

/** What a call does while Redis is in a state, and after it. */
export interface Cell {
  /** What the call does, in words. */
  readonly does: string;
  readonly check: (episode: Episode) => void;
}

/** All five calls in one state. */
export interface Row {
  readonly tryLock: Cell;
  readonly lock: Cell;
  readonly handler: Cell;
  readonly cron: Cell;
  readonly unlock: Cell;
}

/** What needs no lock is served as ever. */
export function expectServed(free: readonly Ending[]): void {
  expect(free).not.toEqual([]);
  expect(free.filter(({ how }) => how !== '200')).toEqual([]);
  expect(Math.max(...free.map(({ took }) => took))).toBeLessThan(scaled(500) + 2 * lag.worst);
}

function expectEnding({ how, took }: Ending, codes: readonly string[], bound: number): void {
  expect(codes).toContain(how);
  expect(took).toBeLessThan(bound + exactness());
}

function expectSoon(recovery: number): void {
  expect(recovery).toBeLessThan(scaled(SOON) + lag.worst);
}

export function expectCell({ check }: Cell, episode: Episode): void {
  check(episode);
}

/** @param codes what its callers may be told */
export function refused(...codes: readonly Code[]): Cell {
  return {
    does: `rejects with ${codes.join(' or ')} within commandTimeout, and is granted soon after`,
    check({ tryLock, recovery }) {
      expect(tryLock).not.toEqual([]);
      for (const ending of tryLock) expectEnding(ending, codes, COMMAND_TIMEOUT);
      expectSoon(recovery.tryLock);
    },
  };
}

export function waits(...codes: readonly Code[]): Cell {
  return {
    does: `waits, rejects with ${codes.join(' or ')} at the end of a waitTime, and is granted soon after`,
    check({ lock, boundedLock, recovery }) {
      expect(lock).toBeUndefined();
      expectEnding(boundedLock, codes, 700);
      expect(boundedLock.took).toBeGreaterThan(699);
      expectSoon(recovery.lock);
    },
  };
}

export const rejectsAtOnce: Cell = {
  does: 'rejects at once with REJECTED_BY_REDIS, as waiting does not help, and is granted when called again',
  check({ lock, boundedLock, recovery }) {
    expect(lock?.how).toBe('REJECTED_BY_REDIS');
    expectEnding(boundedLock, ['REJECTED_BY_REDIS'], COMMAND_TIMEOUT);
    expectSoon(recovery.lock);
  },
};

/** @param code what clients are told beside the status */
export function answers503(...codes: readonly Code[]): Cell {
  return {
    does: 'is not run and answers 503 with Retry-After, one line in the log; it serves soon after',
    check({ handler, answer, runs, unlocked, recovery, lines }) {
      expect(handler).not.toEqual([]);
      for (const ending of handler) expectEnding(ending, ['503'], COMMAND_TIMEOUT);
      expect(answer.retryAfter).toBe('1');
      expect(codes).toContain((answer.body as { code: string }).code);
      expect(answer.body).toMatchObject({
        statusCode: 503,
        error: 'Service Unavailable',
        message: 'Locks cannot be acquired at the moment. Try again later.',
      });
      expect(runs.filter(({ of }) => of === 'handler')).toEqual([]);
      expect(unlocked).toEqual([]);
      expectSoon(recovery.handler);
      expectTold(lines, 'desk', codes.length);
    },
  };
}

export const skipsTicks: Cell = {
  does: 'is not run, one line in the log for all its ticks; it runs again soon after',
  check({ runs, unlocked, recovery, lines }) {
    expect(runs.filter(({ of }) => of === 'cron')).toEqual([]);
    expect(unlocked).toEqual([]);
    // Its next tick is up to a second away.
    expectSoon(recovery.cron);
    // A run may have been under way when the state began: then its release has a line of its own.
    const ofTicks = lines.filter((line) => !line.includes('The release of lock "job:'));
    expect(lines.length - ofTicks.length).toBeLessThanOrEqual(1);
    expectTold(ofTicks, 'job', 1);
    expect(ofTicks.filter((line) => line.includes('could not be claimed'))).toHaveLength(1);
  },
};

export function goesOnLater(...codes: readonly Code[]): Cell {
  return {
    does: `rejects with ${codes.join(' or ')} within two round trips, one line in the log; its lock is free soon after`,
    check({ unlock, freed, leftovers, lines }) {
      expectEnding(unlock, codes, 2 * COMMAND_TIMEOUT);
      expectSoon(freed);
      expect(leftovers).toEqual([]);
      expectTold(lines, 'mine', 1);
    },
  };
}

export const frees: Cell = {
  does: 'frees its lock, as that takes no memory',
  check({ unlock, freed, leftovers, lines }) {
    expectEnding(unlock, ['released'], COMMAND_TIMEOUT);
    expectSoon(freed);
    expect(leftovers).toEqual([]);
    expectTold(lines, 'mine', 0);
  },
};

/** @param lease of the hold, in ms */
export const leavesToLease = (lease: number): Cell => ({
  does: 'rejects at once with REJECTED_BY_REDIS, one line in the log; its lock is free at the end of its lease',
  check({ unlock, freed, leftovers, lines }) {
    expectEnding(unlock, ['REJECTED_BY_REDIS'], COMMAND_TIMEOUT);
    expect(freed).toBeLessThan(lease);
    expect(leftovers).toEqual([]);
    expectTold(lines, 'mine', 1);
  },
});

/** Once, and not once for each attempt. */
function expectTold(lines: readonly string[], lock: string, times: number): void {
  const told = lines.filter((line) => line.includes(`"${lock}:`));
  expect(told.length, told.join('\n')).toBeLessThanOrEqual(times);
  if (times > 0) expect(told).not.toEqual([]);
}
