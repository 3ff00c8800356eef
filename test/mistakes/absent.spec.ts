import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from 'nestjs-distributed-lock';
import { Services } from '../support/services.js';
import { PublicApi } from './public.api.js';

const UNKNOWN_JOB = {
  code: 'UNKNOWN_JOB',
  message: expect.stringContaining('Redis has no record of job "typo"'),
};
const PERMIT = '0'.repeat(32);

/** What an operation says of something that does not exist. */
type Answer =
  | { readonly gives: unknown }
  | { readonly rejects: object }
  /** It is there to make the thing. */
  | { readonly makes: unknown }
  /** It asks Redis for nothing, or takes a thing that is free. */
  | { readonly no: string };

interface Row {
  readonly call?: (locks: LockService) => unknown;
  readonly answer: Answer;
}

const gives = (value: unknown, call: Row['call']): Row => ({
  ...(call && { call }),
  answer: { gives: value },
});
const rejects = (error: object, call: Row['call']): Row => ({
  ...(call && { call }),
  answer: { rejects: error },
});
const makes = (value: unknown, call: Row['call']): Row => ({
  ...(call && { call }),
  answer: { makes: value },
});
const no = (why: string): Row => ({ answer: { no: why } });

const TAKES = no('takes what is free: nobody has it');
const LOCAL = no('asks nobody');

/** Every operation of the public API, on a name, a job or a permit that there is not. */
const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Lock: {
    forceUnlock: gives(false, (locks) => locks.getLock('typo').forceUnlock()),
    getHoldCount: gives(0, (locks) => locks.getLock('typo').getHoldCount()),
    isHeld: gives(false, (locks) => locks.getLock('typo').isHeld()),
    isLocked: gives(false, (locks) => locks.getLock('typo').isLocked()),
    remainTimeToLive: gives(-2, (locks) => locks.getLock('typo').remainTimeToLive()),
    lock: TAKES,
    tryLock: TAKES,
    using: TAKES,
  },
  FencedLock: {
    forceUnlock: gives(false, (locks) => locks.getFencedLock('typo').forceUnlock()),
    getHoldCount: gives(0, (locks) => locks.getFencedLock('typo').getHoldCount()),
    getToken: gives(undefined, (locks) => locks.getFencedLock('typo').getToken()),
    isHeld: gives(false, (locks) => locks.getFencedLock('typo').isHeld()),
    isLocked: gives(false, (locks) => locks.getFencedLock('typo').isLocked()),
    remainTimeToLive: gives(-2, (locks) => locks.getFencedLock('typo').remainTimeToLive()),
    lock: TAKES,
    tryLock: TAKES,
    using: TAKES,
  },
  ReadWriteLock: { readLock: LOCAL, writeLock: LOCAL },
  Semaphore: {
    acquire: rejects({ code: 'NOT_ACQUIRED' }, (locks) =>
      locks.getSemaphore('typo').acquire(1, { waitTime: 0 }),
    ),
    addPermits: makes(undefined, (locks) => locks.getSemaphore('typo').addPermits(1)),
    availablePermits: gives(0, (locks) => locks.getSemaphore('typo').availablePermits()),
    delete: gives(false, (locks) => locks.getSemaphore('typo').delete()),
    drainPermits: gives(0, (locks) => locks.getSemaphore('typo').drainPermits()),
    release: makes(undefined, (locks) => locks.getSemaphore('typo').release()),
    releaseIfExists: gives(false, (locks) => locks.getSemaphore('typo').releaseIfExists()),
    tryAcquire: gives(false, (locks) => locks.getSemaphore('typo').tryAcquire()),
    trySetPermits: makes(true, (locks) => locks.getSemaphore('typo').trySetPermits(1)),
    using: rejects({ code: 'NOT_ACQUIRED' }, (locks) =>
      locks.getSemaphore('typo').using(() => 'ran', { waitTime: 0 }),
    ),
  },
  PermitExpirableSemaphore: {
    acquire: rejects({ code: 'NOT_ACQUIRED' }, (locks) =>
      locks.getPermitExpirableSemaphore('typo').acquire({ waitTime: 0 }),
    ),
    acquiredPermits: gives(0, (locks) => locks.getPermitExpirableSemaphore('typo').acquiredPermits()),
    addPermits: makes(undefined, (locks) => locks.getPermitExpirableSemaphore('typo').addPermits(1)),
    availablePermits: gives(0, (locks) => locks.getPermitExpirableSemaphore('typo').availablePermits()),
    delete: gives(false, (locks) => locks.getPermitExpirableSemaphore('typo').delete()),
    getLeaseTime: gives(-2, (locks) => locks.getPermitExpirableSemaphore('typo').getLeaseTime(PERMIT)),
    getPermits: gives(0, (locks) => locks.getPermitExpirableSemaphore('typo').getPermits()),
    setPermits: makes(undefined, (locks) => locks.getPermitExpirableSemaphore('typo').setPermits(1)),
    tryAcquire: gives(null, (locks) => locks.getPermitExpirableSemaphore('typo').tryAcquire()),
    tryRelease: gives(false, (locks) => locks.getPermitExpirableSemaphore('typo').tryRelease(PERMIT)),
    trySetPermits: makes(true, (locks) => locks.getPermitExpirableSemaphore('typo').trySetPermits(1)),
    updateLeaseTime: gives(false, (locks) =>
      locks.getPermitExpirableSemaphore('typo').updateLeaseTime(PERMIT, '1s'),
    ),
    using: rejects({ code: 'NOT_ACQUIRED' }, (locks) =>
      locks.getPermitExpirableSemaphore('typo').using(() => 'ran', { waitTime: 0 }),
    ),
  },
  CountDownLatch: {
    await: gives(true, (locks) => locks.getCountDownLatch('typo').await()),
    countDown: gives(undefined, (locks) => locks.getCountDownLatch('typo').countDown()),
    delete: gives(false, (locks) => locks.getCountDownLatch('typo').delete()),
    getCount: gives(0, (locks) => locks.getCountDownLatch('typo').getCount()),
    trySetCount: makes(true, (locks) => locks.getCountDownLatch('typo').trySetCount(1)),
  },
  JobControl: {
    forget: rejects(UNKNOWN_JOB, (locks) => locks.jobs.forget('typo')),
    list: gives([], (locks) => locks.jobs.list()),
    pause: rejects(UNKNOWN_JOB, (locks) => locks.jobs.pause('typo')),
    resume: rejects(UNKNOWN_JOB, (locks) => locks.jobs.resume('typo')),
    runNow: rejects(UNKNOWN_JOB, (locks) => locks.jobs.runNow('typo')),
    status: gives(undefined, (locks) => locks.jobs.status('typo')),
  },
  Fleet: {
    instances: gives([], (locks) => locks.fleet.instances()),
    lock: gives(undefined, (locks) => locks.fleet.lock('typo')),
    locks: gives({ locks: [], next: undefined }, (locks) => locks.fleet.locks({ prefix: 'typo' })),
  },
  Election: { resign: LOCAL, stop: LOCAL },
  LockService: {
    getRuns: gives([], (locks) => locks.getRuns('typo')),
    runOnce: no('makes the job: its instants are known by the call alone'),
    using: TAKES,
    elect: TAKES,
    ...Object.fromEntries(
      [
        'getCountDownLatch',
        'getFairLock',
        'getFencedLock',
        'getLock',
        'getMultiLock',
        'getNonReentrantFairLock',
        'getNonReentrantLock',
        'getPermitExpirableSemaphore',
        'getReadWriteLock',
        'getRedLock',
        'getSemaphore',
        'getSpinLock',
      ].map((name) => [name, LOCAL]),
    ),
  },
};

/** A handle after its release, which is of no use any more. */
const HANDLE: Readonly<Record<string, Row>> = {
  assertHeld: rejects({ code: 'RELEASED', why: 'it was unlocked' }, undefined),
  extend: gives(false, undefined),
  run: no('runs the work: it opens a scope without the hold, in which currentLock() says that it is lost'),
  toJSON: LOCAL,
  unlock: gives('released', undefined),
};

const services = new Services();
const api = new PublicApi();
let locks: LockService;

beforeAll(async () => {
  locks = await services.open();
});
afterAll(() => services.close());

const ROWS = Object.entries(TABLE).flatMap(([type, rows]) =>
  Object.entries(rows).flatMap(([name, { call, answer }]) =>
    call === undefined ? [] : [[`${type}.${name}`, call, answer] as const],
  ),
);

describe('an operation on what does not exist', () => {
  test.each(Object.keys(TABLE))('%s: every operation of the public API has an answer', (type) => {
    expect(Object.keys(TABLE[type] ?? {}).toSorted()).toEqual(api.methodsOf(type));
  });

  test.each(ROWS)('%s fails, and leaves no key behind', async (_, call, answer) => {
    // A name has one kind in one application, so that each row has an application.
    const own = await services.open();
    const outcome = await Promise.resolve()
      .then(() => call(own))
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
    const value = 'makes' in answer ? answer.makes : 'gives' in answer && answer.gives;
    expect(outcome).toMatchObject('rejects' in answer ? { error: answer.rejects } : { value });
    const keys = await services.keys();
    expect(keys.length > 0).toBe('makes' in answer);
    await Promise.all(keys.map((key) => services.admin.del(key)));
  });

  test('a handle: every operation has an answer after its release', async () => {
    expect(Object.keys(HANDLE).toSorted()).toEqual(api.methodsOf('LockHandle'));
    const handle = await locks.getLock('released').lock();
    await handle.unlock();
    expect(() => handle.assertHeld()).toThrow(
      expect.objectContaining({ code: 'RELEASED', why: 'it was unlocked' }),
    );
    expect(await handle.extend('1s')).toBe(false);
    expect(await handle.unlock()).toBe('released');
    expect(handle.toJSON()).toMatchObject({ isHeld: false });
    expect(await services.keys()).toEqual([]);
  });
});
