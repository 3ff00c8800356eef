import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { LockService } from 'nestjs-distributed-lock';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import { logNotices } from '../../libs/distributed-lock/src/startup/notice.logger.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { Services } from '../support/services.js';
import { SLOWNESS } from '../support/slowness.js';
import { until } from '../support/until.js';
import { PublicApi } from './public.api.js';

/** In place of the 10 s of the default. */
const DELAY = 300 * SLOWNESS;

interface Case {
  /** Takes the lock by hand. @returns what gives it back */
  readonly take: (locks: LockService, name: string) => Promise<() => Promise<unknown>>;
  /** Waits for it without a bound. */
  readonly wait: (locks: LockService, name: string) => Promise<unknown>;
  /** Whether the log has the place of the call: not where a multi lock waits for a member, as no stack leads from there to its caller. @default true */
  readonly isPlaced?: boolean;
}

const byHand =
  (lockOf: (locks: LockService, name: string) => { lock(): Promise<{ unlock(): Promise<unknown> }> }) =>
  async (locks: LockService, name: string) => {
    const handle = await lockOf(locks, name).lock();
    return () => handle.unlock();
  };

const inUsing =
  (lockOf: (locks: LockService, name: string) => { using(work: () => string): Promise<string> }) =>
  (locks: LockService, name: string) =>
    lockOf(locks, name).using(() => 'ran');

const again = (lockOf: (locks: LockService, name: string) => ReturnType<LockService['getLock']>): Case => ({
  take: byHand(lockOf),
  wait: inUsing(lockOf),
});

const lock = (locks: LockService, name: string) => locks.getLock(name);
const multi = (locks: LockService, name: string) => locks.getMultiLock(name, `${name}:beside`);
const red = (locks: LockService, name: string) => locks.getRedLock(name);
const write = (locks: LockService, name: string) => locks.getReadWriteLock(name).writeLock();
const read = (locks: LockService, name: string) => locks.getReadWriteLock(name).readLock();

/** Every way to a lock, and why a caller of it cannot wait for itself. */
const DOORS: Readonly<Record<string, Readonly<Record<string, Case>> | string>> = {
  getLock: {
    'lock() and using()': again(lock),
    'lock() and lock()': {
      take: byHand(lock),
      wait: async (locks, name) => (await lock(locks, name).lock()).unlock(),
    },
    'tryLock() and using()': {
      take: async (locks, name) => {
        const handle = await lock(locks, name).tryLock();
        return async () => handle?.unlock();
      },
      wait: inUsing(lock),
    },
    'lock() and using() of the service': {
      take: byHand(lock),
      wait: (locks, name) => locks.using(name, () => 'ran'),
    },
    'lock() and a multi lock that has it': { take: byHand(lock), wait: inUsing(multi), isPlaced: false },
  },
  getFairLock: { 'lock() and using()': again((locks, name) => locks.getFairLock(name)) },
  getFencedLock: { 'lock() and using()': again((locks, name) => locks.getFencedLock(name)) },
  getSpinLock: { 'lock() and using()': again((locks, name) => locks.getSpinLock(name)) },
  getNonReentrantLock: {
    'lock() and using()': again((locks, name) => locks.getNonReentrantLock(name)),
  },
  getNonReentrantFairLock: {
    'lock() and using()': again((locks, name) => locks.getNonReentrantFairLock(name)),
  },
  getReadWriteLock: {
    'write and write': again(write),
    'write and read': { take: byHand(write), wait: inUsing(read) },
    'read and write': { take: byHand(read), wait: inUsing(write) },
  },
  getMultiLock: {
    'lock() and using()': { take: byHand(multi), wait: inUsing(multi), isPlaced: false },
    'lock() and using() of a member': { take: byHand(multi), wait: inUsing(lock) },
  },
  getRedLock: { 'lock() and using()': { take: byHand(red), wait: inUsing(red) } },
  getPermitExpirableSemaphore: {
    'acquire() of the only permit and using()': {
      take: async (locks, name) => {
        const semaphore = locks.getPermitExpirableSemaphore(name);
        await semaphore.trySetPermits(1);
        const permit = await semaphore.acquire();
        return () => permit.unlock();
      },
      wait: (locks, name) => locks.getPermitExpirableSemaphore(name).using(() => 'ran'),
    },
  },
  getSemaphore: 'any process may give a permit back, so that no process has one',
  getCountDownLatch: 'nobody holds it: to wait for others is what it is for',
};

// The compiler takes its time, which is no test's.
const api = new PublicApi();
const services = new Services();
let servers: RunningRedis[];
let locks: LockService;
const notices: Notice[] = [];
const lines: string[] = [];
let serial = 0;

const linesOf = (name: string) => notices.filter((notice) => 'lock' in notice && notice.lock === name);

beforeAll(async () => {
  servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
  const settings = {
    ...readSettings({ namePrefix: services.prefix, shutdownTimeout: 50, redLock: { restartDelay: 0 } }),
    selfWaitAfter: DELAY,
  };
  locks = await openLockService(
    settings,
    inject('redisUrl'),
    servers.map(({ url }) => url),
  );
  const board = locks.engine.context.notices;
  board.listen((notice) => notices.push(notice));
  const keep = (text: string) => void lines.push(text);
  board.listen(
    logNotices(Object.assign(Object.create(null), { warn: keep, error: keep, log: keep, debug: keep })),
  );
});

afterAll(async () => {
  await locks.shutDown();
  await services.store.delete(await services.keys());
  await services.close();
  await Promise.all(servers.map((server) => server.stop()));
});

const CASES = Object.entries(DOORS).flatMap(([door, cases]) =>
  typeof cases === 'string'
    ? []
    : Object.entries(cases).map(([what, way]) => [`${door}: ${what}`, way] as const),
);

describe('code that waits for a lock that it took by hand', () => {
  test('every way to a lock has an answer', () => {
    const doors = api.methodsOf('LockService').filter((name) => name.startsWith('get'));
    expect(Object.keys(DOORS).toSorted()).toEqual(doors.filter((name) => name !== 'getRuns'));
  });

  test.concurrent.each(CASES)('is logged once: %s', async (_, { take, wait, isPlaced = true }) => {
    serial += 1;
    const name = `self:${serial}`;
    const giveBack = await take(locks, name);
    const start = Date.now();
    const waiting = [wait(locks, name), wait(locks, name)];
    await until('the log has a line', () => linesOf(name).length > 0, DELAY + 5000);
    expect(Date.now() - start).toBeGreaterThanOrEqual(DELAY - 50);
    const end = performance.now() + DELAY;
    await until('as much time again is over', () => performance.now() > end, DELAY + 5000);
    expect(linesOf(name)).toEqual([
      expect.objectContaining({ kind: 'self-wait', waited: expect.any(Number), heldBy: expect.any(String) }),
    ]);
    const places = linesOf(name).map((line) => ('where' in line ? line.where : undefined));
    expect(places.map((place = '') => place.includes('self.wait.spec.ts'))).toEqual([isPlaced]);
    await giveBack();
    await Promise.all(waiting);
  });

  test('the line has the call that waits, the time of the call that took it, and the remedy', async () => {
    const name = 'self:line';
    const before = Date.now();
    const held = await locks.getLock(name).lock();
    const waiting = locks.getLock(name).using(() => 'ran');
    await until('the log has a line', () => linesOf(name).length > 0, DELAY + 5000);
    const line = lines.find((text) => text.includes(`"${name}"`)) ?? '';
    expect(line).toMatch(
      /^A caller at .*self\.wait\.spec\.ts:\d+:\d+\)? has waited \d+ ms without a time limit/,
    );
    expect(line).toContain(held.holder);
    expect(line).toMatch(/Call handle\.run\(…\) around the inner call/);
    const at = Date.parse(/at (\d{4}-\S+Z)/.exec(line)?.[1] ?? '');
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    await held.unlock();
    expect(await waiting).toBe('ran');
  });
});

/** Waits that say nothing: each takes twice the delay, but for the short one. */
const ORDINARY: Readonly<Record<string, (name: string, over: () => Promise<void>) => Promise<unknown>>> = {
  'behind a using() of another caller': async (name, over) => {
    const held = locks.getLock(name).using(over);
    return await Promise.all([held, locks.getLock(name).using(() => 'ran')]);
  },
  'behind a handle that has opened its scope': async (name, over) => {
    const handle = await locks.getLock(name).lock();
    const held = handle.run(over).then(() => handle.unlock());
    return await Promise.all([held, locks.getLock(name).using(() => 'ran')]);
  },
  'with a bound': async (name, over) => {
    const handle = await locks.getLock(name).lock();
    const refused = locks.getLock(name).tryLock({ waitTime: 2 * DELAY });
    await over();
    expect(await refused).toBeNull();
    return await handle.unlock();
  },
  'behind one handle after the other': async (name, over) => {
    const state = { isOver: false };
    const end = over().then(() => (state.isOver = true));
    const one = async () => {
      while (!state.isOver) {
        const handle = await locks.getLock(name).lock();
        await new Promise((resolve) => setTimeout(resolve, 20));
        await handle.unlock();
      }
    };
    return await Promise.all([end, one(), one(), one()]);
  },
  'that is short': async (name) => {
    const handle = await locks.getLock(name).lock();
    const waiting = locks.getLock(name).using(() => 'ran');
    await handle.unlock();
    return await waiting;
  },
};

describe('an ordinary wait logs nothing', () => {
  test.concurrent.each(Object.entries(ORDINARY))('%s', async (_, wait) => {
    serial += 1;
    const name = `ordinary:${serial}`;
    const over = async () => {
      const end = performance.now() + 2 * DELAY;
      await until('twice the time is over', () => performance.now() > end, 2 * DELAY + 5000);
    };
    await wait(name, over);
    expect(linesOf(name)).toEqual([]);
  });
});
