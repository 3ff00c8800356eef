import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { DoorStage, request } from '../doors/door.stage.js';
import { Guarded, guardedParts } from '../durations/guarded.parts.js';
import { QuorumStage } from '../quorum/quorum.stage.js';
import { Services } from '../support/services.js';
import { ownRedis } from './own.redis.js';

/** Shorter than the round trip of a busy moment, in ms. */
const WAIT = { waitTime: 2 };
/** How long a busy moment lasts here, in ms. */
const BUSY = 150;

interface Taken {
  unlock(): Promise<unknown>;
}

/** Takes what the door gives, or answers with null when somebody else has it. */
type Door = (locks: LockService) => Promise<Taken | null>;

const DOORS: Readonly<Record<string, Door>> = {
  'a re-entrant lock': (locks) => locks.getLock('a').tryLock(WAIT),
  'a lock with a lease': (locks) => locks.getLock('c').tryLock({ ...WAIT, leaseTime: '10s' }),
  'a lock that is not re-entrant': (locks) => locks.getNonReentrantLock('d').tryLock(WAIT),
  'a fair lock': (locks) => locks.getFairLock('e').tryLock(WAIT),
  'a fenced lock': (locks) => locks.getFencedLock('f').tryLock(WAIT),
  'a spin lock': (locks) => locks.getSpinLock('g').tryLock(WAIT),
  'a write lock': (locks) => locks.getReadWriteLock('h').writeLock().tryLock(WAIT),
  'a multi lock': (locks) => locks.getMultiLock('i', 'j').tryLock(WAIT),
  'a semaphore': async (locks) => {
    const semaphore = locks.getSemaphore('k');
    return (await semaphore.tryAcquire(1, WAIT)) ? { unlock: () => semaphore.release() } : null;
  },
  'a permit': (locks) => locks.getPermitExpirableSemaphore('l').tryAcquire(WAIT),
};

describe('a waitTime that is shorter than a round trip', () => {
  const server = ownRedis();
  let services: Services;
  let one: LockService;
  let other: LockService;
  beforeEach(async () => {
    services = new Services(server().url);
    [one, other] = await Promise.all([
      services.open({ commandTimeout: 3000 }),
      services.open({ commandTimeout: 3000 }),
    ]);
    await one.getSemaphore('k').trySetPermits(1);
    await one.getPermitExpirableSemaphore('l').trySetPermits(1);
  });
  afterEach(async () => {
    await Promise.all([one.getSemaphore('k').delete(), one.getPermitExpirableSemaphore('l').delete()]);
    await services.close();
  });

  test.each(Object.entries(DOORS))(
    'gives what is free in a busy moment, and null for what is taken: %s',
    async (_, door) => {
      await services.admin.client('PAUSE', BUSY, 'ALL');
      const taken = await door(one);
      expect(taken).not.toBeNull();
      await services.admin.client('PAUSE', BUSY, 'ALL');
      expect(await door(other)).toBeNull();
      await taken?.unlock();
      const answers = await Promise.all(Array.from({ length: 20 }, () => door(one)));
      await Promise.all(answers.map((answer) => answer?.unlock()));
    },
  );

  test('is taken once more by a scope that holds it, and lets a latch be awaited', async () => {
    await one.getLock('a').using(async () => {
      await services.admin.client('PAUSE', BUSY, 'ALL');
      expect(await (await one.getLock('a').tryLock(WAIT))?.unlock()).toBe('kept');
    });
    await services.admin.client('PAUSE', BUSY, 'ALL');
    expect(await one.getCountDownLatch('latch').await(WAIT)).toBe(true);
  });

  test('is an error within commandTimeout when Redis does not answer', async () => {
    const impatient = await services.open({ commandTimeout: 300 });
    await impatient.getLock('warm').using(() => undefined);
    await server().pause();
    const errors = await Promise.allSettled(Object.values(DOORS).map((door) => door(impatient)));
    await server().resume();
    for (const error of errors)
      expect(error).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  });

  test('is a long wait for the log, as any wait for a slow reply is, be the lock free or not', async () => {
    const warned = await services.open({ warnAfter: BUSY / 3, commandTimeout: 3000 });
    await warned.getLock('warm').using(() => undefined);
    const logged: string[] = [];
    warned.engine.context.notices.listen(({ kind }) => logged.push(kind));
    for (const options of [WAIT, undefined]) {
      await services.admin.client('PAUSE', BUSY, 'ALL');
      await (await warned.getLock('a').lock(options)).unlock();
      const held = await other.getLock('a').lock();
      await services.admin.client('PAUSE', BUSY, 'ALL');
      const waiting = warned.getLock('a').lock(options);
      const release = held.unlock();
      await waiting.then((handle) => handle.unlock()).catch(() => undefined);
      await release;
    }
    expect(logged).toEqual(Array.from({ length: 4 }, () => 'long-wait'));
  });
});

describe('a waitTime that is shorter than a round trip, for 20 callers of a free lock in a busy moment', () => {
  const server = ownRedis();
  const callers = (call: () => Promise<unknown>) => Promise.allSettled(Array.from({ length: 20 }, call));

  /** What the callers got, without the refusals of a lock that is held. */
  function granted(answers: readonly PromiseSettledResult<unknown>[], isBusy: (answer: unknown) => boolean) {
    return answers
      .map((answer) => (answer.status === 'fulfilled' ? answer.value : Object(answer.reason).code))
      .filter((answer) => !isBusy(answer));
  }

  test('of a red lock: one has it, and none gets an error that Redis is away', async () => {
    const stage = await QuorumStage.open(3);
    try {
      const locks = await stage.openAll({ commandTimeout: 3000 });
      await Promise.all(stage.seats.map(({ admin }) => admin.client('PAUSE', BUSY, 'ALL')));
      const lock = locks.getRedLock('x');
      const answers = await callers(async () => (await lock.tryLock(WAIT))?.unlock() ?? 'busy');
      expect(new Set(granted(answers, (answer) => answer === 'busy'))).toEqual(new Set(['released']));
    } finally {
      await stage.clear();
      await stage.close();
    }
  });

  test.each([
    [
      'a decorated method',
      async (app: INestApplication) => {
        await app.get(Guarded).run();
        return 201;
      },
    ],
    ['a route with a guard', async (app: INestApplication) => (await request(app, '/used')).status],
    ['an intercepted route', async (app: INestApplication) => (await request(app, '/intercepted')).status],
  ])('of %s: at least one runs, and none gets an error that Redis is away', async (_, call) => {
    const stage = new DoorStage();
    try {
      const app = await stage.boot({
        ...guardedParts(WAIT),
        imports: [stage.locks({ commandTimeout: 3000 }, {}, server().url)],
      });
      const services = new Services(server().url);
      await services.admin.client('PAUSE', BUSY, 'ALL');
      const answers = await callers(() => call(app));
      const ran = granted(answers, (answer) => answer === 'NOT_ACQUIRED' || answer === 423);
      expect([[200], [201]]).toContainEqual([...new Set(ran)]);
      await services.close();
    } finally {
      await stage.close();
    }
  });
});
