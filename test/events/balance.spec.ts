import { type Arbitrary, array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Lockable, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockNotAcquiredError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { EventLedger } from './event.ledger.js';

/** What one caller does. */
const CALL = record({
  door: constantFrom('lock', 'tryLock', 'using', 'twice'),
  waitTime: constantFrom(0, 1, 30, 200),
  leaseTime: constantFrom(undefined, '10s'),
  /** In ms; undefined: the caller stays. */
  leavesAfter: constantFrom(undefined, undefined, 0, 5),
  end: constantFrom('unlock', 'unlock twice', 'dispose', 'take away'),
});

type Call = typeof CALL extends Arbitrary<infer C> ? C : never;

/** What callers were told. */
interface Answers {
  granted: number;
  refused: number;
  failed: number;
}

/** One kind of lock: how it is had, and how what is held is taken away. */
interface Kind {
  readonly lockOf: (locks: LockService) => Lockable;
  readonly takeAway?: (locks: LockService, handle: LockHandle) => Promise<unknown>;
}

const NAME = 'a';

const KINDS: Readonly<Record<string, Kind>> = {
  reentrant: {
    lockOf: (locks) => locks.getLock(NAME),
    takeAway: (locks) => locks.getLock(NAME).forceUnlock(),
  },
  'non-reentrant': { lockOf: (locks) => locks.getNonReentrantLock(NAME) },
  spin: { lockOf: (locks) => locks.getSpinLock(NAME) },
  fenced: {
    lockOf: (locks) => locks.getFencedLock(NAME),
    takeAway: (locks) => locks.getFencedLock(NAME).forceUnlock(),
  },
  fair: {
    lockOf: (locks) => locks.getFairLock(NAME),
    takeAway: (locks) => locks.getFairLock(NAME).forceUnlock(),
  },
  'non-reentrant-fair': { lockOf: (locks) => locks.getNonReentrantFairLock(NAME) },
  read: {
    lockOf: (locks) => locks.getReadWriteLock(NAME).readLock(),
    takeAway: (locks) => locks.getReadWriteLock(NAME).readLock().forceUnlock(),
  },
  write: {
    lockOf: (locks) => locks.getReadWriteLock(NAME).writeLock(),
    takeAway: (locks) => locks.getReadWriteLock(NAME).writeLock().forceUnlock(),
  },
  permit: {
    lockOf: (locks) => {
      const semaphore = locks.getPermitExpirableSemaphore(NAME);
      return {
        name: NAME,
        lock: (options) => semaphore.acquire(options),
        tryLock: (options) => semaphore.tryAcquire(options),
        using: (work, options) => semaphore.using(work, options),
        isHeld: () => false,
      };
    },
    takeAway: (locks, handle) => locks.getPermitExpirableSemaphore(NAME).tryRelease(handle.holder),
  },
  multi: {
    lockOf: (locks) => locks.getMultiLock('b', NAME),
    takeAway: (locks) => locks.getLock('b').forceUnlock(),
  },
  red: { lockOf: (locks) => locks.getRedLock(NAME) },
};

let services: Services;
let open: LockService[];
let ledger: EventLedger;

beforeEach(async () => {
  services = new Services();
  // Three databases of one server are as good as three servers, for what is counted here.
  const servers = [11, 12, 13].map((database) => `${inject('redisUrl')}/${database}`);
  const settings = readSettings({
    namePrefix: services.prefix,
    shutdownTimeout: 200,
    redLock: { restartDelay: 0 },
  });
  open = await Promise.all(
    ['mine', 'theirs'].map(() => openLockService(settings, inject('redisUrl'), servers)),
  );
  ledger = new EventLedger();
});

afterEach(async () => {
  await Promise.all(open.map((locks) => locks.shutDown()));
  // The fencing token of a name outlives its locks.
  for (const key of await services.keys()) await services.admin.del(key);
  await services.close();
});

describe('every acquisition emits one attempt, one answer and one end, the same that its caller got', () => {
  test.each(Object.entries(KINDS))(
    '%s',
    async (name, kind) => {
      const [mine, theirs] = open;
      if (mine === undefined || theirs === undefined) throw new Error('unreachable');
      if (name === 'permit') await mine.getPermitExpirableSemaphore(NAME).trySetPermits(2);
      mine.events.listen(ledger.listener);
      const answers: Answers = { granted: 0, refused: 0, failed: 0 };
      const crowd = array(CALL, { minLength: 2, maxLength: 8 });
      await assert(
        asyncProperty(crowd, crowd, async (ours, others) => {
          const ignored: Answers = { granted: 0, refused: 0, failed: 0 };
          await Promise.all([
            ...ours.map((call) => play(mine, kind, call, answers)),
            ...others.map((call) => play(theirs, kind, call, ignored)),
          ]);
        }),
        { numRuns: 6 },
      );
      const asked = answers.granted + answers.refused + answers.failed;
      await until('all is told', () => ledger.complete >= asked);
      expect(ledger.odd).toEqual([]);
      expect({
        asked: ledger.of('attempt').length,
        granted: ledger.of('acquired').length,
        refused: ledger.of('refused').length,
        failed: ledger.of('failed').length,
      }).toEqual({ asked, ...answers });
      expect(ledger.of('released').length + ledger.of('lost').length).toBe(answers.granted);
      expect(new Set(ledger.of('attempt').map((event) => event.kind))).toEqual(new Set([name]));
    },
    scaled(20_000),
  );
});

/** One call, and what comes of it. */
async function play(locks: LockService, kind: Kind, call: Call, answers: Answers): Promise<void> {
  const { leavesAfter, waitTime, leaseTime } = call;
  const leaving = new AbortController();
  if (leavesAfter !== undefined) setTimeout(() => leaving.abort(), leavesAfter);
  const options = { waitTime, leaseTime, signal: leaving.signal };
  const lock = kind.lockOf(locks);
  await count(answers, async () => {
    if (call.door === 'using' || call.door === 'twice') {
      await lock.using(async (handle) => {
        answers.granted += 1;
        if (call.door === 'twice')
          await count(answers, () => hold(lock.lock({ waitTime: 30 }), call, answers));
        if (call.end === 'take away') await kind.takeAway?.(locks, handle);
      }, options);
    } else if (call.door === 'lock') {
      await hold(lock.lock(options), call, answers, (handle) => kind.takeAway?.(locks, handle));
    } else {
      await hold(lock.tryLock(options), call, answers, (handle) => kind.takeAway?.(locks, handle));
    }
  });
}

async function count(answers: Answers, call: () => Promise<void>): Promise<void> {
  const { granted } = answers;
  try {
    await call();
  } catch (error) {
    if (error instanceof LockNotAcquiredError) answers.refused += 1;
    else answers.failed += 1;
    expect(answers.granted).toBeGreaterThanOrEqual(granted);
  }
}

async function hold(
  asked: Promise<LockHandle | null>,
  { end }: Call,
  answers: Answers,
  takeAway?: (handle: LockHandle) => Promise<unknown> | undefined,
): Promise<void> {
  const handle = await asked;
  if (handle === null) {
    answers.refused += 1;
    return;
  }
  answers.granted += 1;
  if (end === 'take away') await takeAway?.(handle);
  if (end === 'dispose') await handle[Symbol.asyncDispose]();
  else await handle.unlock();
  if (end === 'unlock twice') await handle.unlock();
}
