import type { Lock, Lockable } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Latch } from '../support/faults/ambush.js';

/** Two instances: one to which Redis answers late, and another. */
export interface SlowScene {
  readonly service: LockService;
  readonly other: LockService;
  /** Of the lock, permits, latch or job. */
  readonly name: string;
}

/** A call while Redis answers late. */
export interface SlowCall {
  /** Before that. @returns the call */
  readonly prepare: (scene: SlowScene) => Promise<() => Promise<unknown>>;
  /** Its result, or the code of its error. */
  readonly gives: unknown;
  /** The operations that Redis gets of it. */
  readonly sends: Readonly<Record<string, number>>;
}

type Use<T> = (scene: SlowScene) => T;

/** Many calls that are refused. */
const CALLS = 100;

/** A call that needs nothing before it. */
function callOf(call: Use<Promise<unknown>>, gives: unknown, sends: SlowCall['sends']): SlowCall {
  return { prepare: async (scene) => () => call(scene), gives, sends };
}

/** As {@link callOf}, where there are so many permits. */
function withPermits(permits: number, { prepare, ...rest }: SlowCall): SlowCall {
  return {
    ...rest,
    prepare: async (scene) => {
      await scene.other.getSemaphore(scene.name).trySetPermits(permits);
      return await prepare(scene);
    },
  };
}

function unlockOf(lock: Use<Lockable>, sends: SlowCall['sends']): SlowCall {
  const prepare = async (scene: SlowScene) => {
    const handle = await lock(scene).lock();
    return () => handle.unlock();
  };
  return { prepare, gives: 'released', sends };
}

const lockOf: Use<Lock> = ({ service, name }) => service.getLock(name);
const permitsOf = ({ service, name }: SlowScene) => service.getPermitExpirableSemaphore(name);
const semaphoreOf = ({ service, name }: SlowScene) => service.getSemaphore(name);

/** How each kind of lock is let go. */
const UNLOCKS: Readonly<Record<string, SlowCall>> = {
  'the unlock of a lock': unlockOf(lockOf, { 'reentrant/release': 1 }),
  'the unlock of a lock that is not re-entrant': unlockOf(
    ({ service, name }) => service.getNonReentrantLock(name),
    { 'reentrant/release': 1 },
  ),
  'the unlock of a spin lock': unlockOf(({ service, name }) => service.getSpinLock(name), {
    'reentrant/release': 1,
  }),
  'the unlock of a fair lock': unlockOf(({ service, name }) => service.getFairLock(name), {
    'fair/release': 1,
  }),
  'the unlock of a fenced lock': unlockOf(({ service, name }) => service.getFencedLock(name), {
    'reentrant/release': 1,
  }),
  'the unlock of a read lock': unlockOf(({ service, name }) => service.getReadWriteLock(name).readLock(), {
    'read/release': 1,
  }),
  'the unlock of a write lock': unlockOf(({ service, name }) => service.getReadWriteLock(name).writeLock(), {
    'write/release': 1,
  }),
  'the unlock of a multi lock': unlockOf(
    ({ service, name }) => service.getMultiLock(`${name}.1`, `${name}.2`),
    { 'reentrant/release': 2 },
  ),
  'the unlock of an expirable permit': withPermits(1, {
    prepare: async (scene) => {
      const permit = await permitsOf(scene).acquire();
      return () => permit.unlock();
    },
    gives: 'released',
    sends: { 'permit/release': 1 },
  }),
  'the unlock of a lock that was freed by force': {
    prepare: async (scene) => {
      const handle = await lockOf(scene).lock();
      await scene.other.getLock(scene.name).forceUnlock();
      return () => handle.unlock();
    },
    gives: 'lost',
    sends: { 'reentrant/release': 1 },
  },
  'the unlock of a hold inside a hold': {
    prepare: async (scene) => {
      const outer = await lockOf(scene).lock();
      const inner = await outer.run(() => lockOf(scene).lock());
      return () => inner.unlock();
    },
    gives: 'UNAVAILABLE',
    sends: { 'reentrant/release': 1 },
  },
  'the unlock of a lock that a waiter of its process gets': {
    prepare: async (scene) => {
      const holder = await lockOf(scene).lock();
      void lockOf(scene).using(() => undefined, { leaseTime: '20s', waitTime: '20s' });
      return () => holder.unlock();
    },
    gives: 'UNAVAILABLE',
    // Each of the two holder ids is undone once. The first request of the waiter is refused, the second one is granted.
    // The answer to a release was late: a guard passes the turn on, once.
    sends: { 'reentrant/transfer': 1, 'reentrant/release': 3, 'reentrant/acquire': 2, 'reentrant/pass': 1 },
  },
  'the release of a lock at a shutdown': {
    prepare: async (scene) => {
      await lockOf(scene).lock();
      return () => scene.service.shutDown();
    },
    gives: undefined,
    sends: { 'reentrant/release': 1 },
  },
  'the end of a run': {
    prepare: async ({ service, name }) => {
      const [begun, end] = [new Latch(), new Latch()];
      const run = service.runOnce(name, Date.now(), async () => {
        begun.open();
        await end.opened;
        return 'done';
      });
      await begun.opened;
      // The job is listed by now, and not beside the end of its run.
      await service.jobs.list();
      return () => {
        end.open();
        return run;
      };
    },
    gives: 'done',
    sends: { 'tick/finish': 1 },
  },
};

const ADDED = { 'semaphore/add': 1, 'call/forget': 1 };

/** How counts are changed. */
const COUNTS: Readonly<Record<string, SlowCall>> = {
  'release() of permits': withPermits(
    0,
    callOf((scene) => semaphoreOf(scene).release(), undefined, ADDED),
  ),
  'releaseIfExists() of permits': withPermits(
    0,
    callOf((scene) => semaphoreOf(scene).releaseIfExists(), true, ADDED),
  ),
  'addPermits()': withPermits(
    0,
    callOf((scene) => semaphoreOf(scene).addPermits(2), undefined, ADDED),
  ),
  'addPermits() of expirable permits': withPermits(
    0,
    callOf((scene) => permitsOf(scene).addPermits(2), undefined, ADDED),
  ),
  'countDown() of a latch': {
    prepare: async ({ service, other, name }) => {
      await other.getCountDownLatch(name).trySetCount(2);
      return () => service.getCountDownLatch(name).countDown();
    },
    gives: undefined,
    sends: { 'latch/count-down': 1, 'call/forget': 1 },
  },
};

/** What is undone when its caller has given up. */
const GIVEN_UP: Readonly<Record<string, SlowCall>> = {
  'tryLock() of a free lock': callOf((scene) => lockOf(scene).tryLock(), 'UNAVAILABLE', {
    'reentrant/acquire': 1,
    'reentrant/release': 1,
  }),
  'tryLock() of a lock that another process holds': {
    prepare: async ({ service, other, name }) => {
      await other.getLock(name).lock();
      return () => Promise.all(Array.from({ length: CALLS }, () => service.getLock(name).tryLock()));
    },
    gives: 'UNAVAILABLE',
    sends: { 'reentrant/acquire': CALLS },
  },
  'tryLock() of a free read lock': callOf(
    ({ service, name }) => service.getReadWriteLock(name).readLock().tryLock(),
    'UNAVAILABLE',
    { 'read/acquire': 1, 'read/release': 1 },
  ),
  'tryLock() of a fair lock': callOf(
    ({ service, name }) => service.getFairLock(name).tryLock(),
    'UNAVAILABLE',
    { 'fair/acquire': 1, 'fair/release': 1 },
  ),
  'tryLock() of a multi lock': callOf(
    ({ service, name }) => service.getMultiLock(`${name}.1`, `${name}.2`).tryLock(),
    'UNAVAILABLE',
    { 'reentrant/acquire': 2, 'reentrant/release': 2 },
  ),
  'tryAcquire() of an expirable permit': withPermits(
    1,
    callOf((scene) => permitsOf(scene).tryAcquire(), 'UNAVAILABLE', {
      'permit/acquire': 1,
      'permit/release': 1,
    }),
  ),
  'tryAcquire() of a permit': withPermits(
    1,
    callOf((scene) => semaphoreOf(scene).tryAcquire(), 'UNAVAILABLE', {
      'semaphore/acquire': 1,
      'semaphore/undo': 1,
    }),
  ),
  'tryAcquire() without a permit': withPermits(
    0,
    callOf((scene) => semaphoreOf(scene).tryAcquire(), 'UNAVAILABLE', { 'semaphore/acquire': 1 }),
  ),
  'drainPermits()': withPermits(
    2,
    callOf((scene) => semaphoreOf(scene).drainPermits(), 'UNAVAILABLE', {
      'semaphore/drain': 1,
      'semaphore/undo': 1,
    }),
  ),
};

/** What is granted late, and the caller still waits. */
const WAITS: Readonly<Record<string, SlowCall>> = {
  'using() of a lock': callOf((scene) => lockOf(scene).using(() => 'done', { waitTime: '20s' }), 'done', {
    'reentrant/acquire': 1,
    'reentrant/release': 1,
    'reentrant/pass': 1,
  }),
  'using() of a fair lock': callOf(
    ({ service, name }) => service.getFairLock(name).using(() => 'done', { waitTime: '20s' }),
    'done',
    { 'fair/acquire': 1, 'fair/release': 1 },
  ),
  'using() of a permit': withPermits(
    1,
    callOf((scene) => semaphoreOf(scene).using(() => 'done', { waitTime: '20s' }), 'done', {
      'semaphore/acquire': 1,
      'semaphore/add': 1,
      'call/forget': 2,
    }),
  ),
};

export const SLOW_CALLS: Readonly<Record<string, SlowCall>> = {
  ...UNLOCKS,
  ...COUNTS,
  ...GIVEN_UP,
  ...WAITS,
};
