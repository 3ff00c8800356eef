import type { Provider } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import {
  assertLocked,
  DistributedLock,
  DistributedLockModule,
  guardedWrite,
  LockNotAcquiredError,
} from 'nestjs-distributed-lock';
import { inject } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { LOSSES, overheld } from '../../libs/distributed-lock/src/errors/loss.reasons.js';
import { uniquePrefix, type Services } from '../support/services.js';

/** The lock of the examples. */
const LOCK = 'account:7';
/** A busy machine is late, and Redis not away. */
const PATIENT = { commandTimeout: '5s' } as const;
const NIGHTLY = '0 0 3 * * *';

class Invoices {
  @DistributedLock('invoices')
  async send(): Promise<void> {}
}

/** Makes the mistake, or the situation, that leads to an error of that code. Resolves or rejects with the error. */
export const PROVOKED: Readonly<Record<string, (services: Services) => Promise<unknown>>> = {
  NOT_ACQUIRED: async (services) => {
    const [one, other] = [await services.open(PATIENT), await services.open(PATIENT)];
    const handle = await one.getLock(LOCK).lock();
    return await other
      .getLock(LOCK)
      .lock({ waitTime: 0 })
      .finally(() => handle.unlock());
  },
  TOO_MANY_WAITERS: async (services) => {
    const [one, other] = [await services.open(PATIENT), await services.open({ ...PATIENT, maxWaiters: 1 })];
    const handle = await one.getLock(LOCK).lock();
    const waiting = new Promise<void>((resolve) => other.events.listen({ waiting: () => resolve() }));
    const first = other.getLock(LOCK).tryLock({ waitTime: '5s' });
    await waiting;
    return await other
      .getLock(LOCK)
      .lock()
      .finally(async () => {
        await handle.unlock();
        await (await first)?.unlock();
      });
  },
  NOT_LEADER: async () => new LockNotAcquiredError('price-feed', 0, {}, 'NOT_LEADER'),
  LOST: async () => LockLostError.of(LOCK, LOSSES.unrenewed),
  MAX_HOLD: async () => LockLostError.of('report', overheld(60_000)),
  RELEASED: async (services) => {
    const handle = await (await services.open()).getLock('report').lock();
    await handle.unlock();
    handle.assertHeld();
  },
  UNAVAILABLE: async (services) => await services.open({}, 'redis://127.0.0.1:1'),
  WRONG_TYPE: async (services) => {
    const service = await services.open();
    const key = `${services.prefix}${LOCK}`;
    await services.admin.set(key, 'a cached value');
    return await service
      .getLock(LOCK)
      .tryLock()
      .finally(() => services.admin.del(key));
  },
  SHUTTING_DOWN: async (services) => {
    const service = await services.open();
    await service.shutDown();
    return await service.getLock(LOCK).tryLock();
  },
  STALE_TOKEN: async ({ admin }) => {
    const fence = `{${LOCK}}:fence`;
    try {
      await guardedWrite(admin, { fence, token: 2n }, [['SET', `{${LOCK}}`, 1]]);
      return await guardedWrite(admin, { fence, token: 1n }, [['SET', `{${LOCK}}`, 1]]);
    } finally {
      await admin.del(fence, `{${LOCK}}`);
    }
  },
  INVALID_OPTION: async (services) => await (await services.open()).getLock(LOCK).lock({ leaseTime: 50 }),
  INVALID_NAME: async (services) => (await services.open()).getLock(''),
  KIND_CONFLICT: async (services) => {
    const service = await services.open();
    await service.getLock(LOCK).isLocked();
    return service.getFairLock(LOCK);
  },
  NOT_REENTRANT: async (services) => {
    const lock = (await services.open()).getNonReentrantLock(LOCK);
    return await lock.using(async () => await lock.tryLock());
  },
  UPGRADE: async (services) => {
    const lock = (await services.open()).getReadWriteLock('catalogue');
    return await lock.readLock().using(async () => await lock.writeLock().tryLock());
  },
  NOT_BOUND: async () => {
    await new Invoices().send();
  },
  NOT_ASYNC: async () => {
    class Ledger {
      // @ts-expect-error -- a program without types makes this mistake
      @DistributedLock('ledger')
      close(): number {
        return 0;
      }
    }
    await start([Ledger]);
  },
  INVALID_TARGET: async () => {
    class Ledger {
      static close = async (): Promise<void> => {};
    }
    Reflect.apply(DistributedLock('ledger'), undefined, [Ledger, 'close']);
  },
  DUPLICATE_JOB: async () => {
    class Payments {
      @Cron(NIGHTLY)
      @DistributedLock('nightly')
      async book(): Promise<void> {}
    }
    class Reminders {
      @Cron(NIGHTLY)
      @DistributedLock('nightly')
      async send(): Promise<void> {}
    }
    await start([Payments, Reminders]);
  },
  UNKNOWN_JOB: async (services) => await (await services.open()).jobs.pause('nightly'),
  UNKNOWN_SCHEDULER: async () => {
    class Payments {
      @Cron(NIGHTLY)
      @DistributedLock('nightly')
      async book(): Promise<void> {}
    }
    const methods = ['addCronJob', 'getCronJobs', 'deleteCronJob', 'getIntervals', 'getTimeouts'];
    const registry = Object.fromEntries(methods.map((name) => [name, () => undefined]));
    await start([Payments, { provide: 'registry', useValue: registry }], false);
  },
  NOT_LOCKED: async () => {
    assertLocked(LOCK);
  },
};

/** Starts an application that the library refuses. */
async function start(providers: Provider[], hasScheduler = true): Promise<void> {
  const locks = { redis: inject('redisUrl'), namePrefix: uniquePrefix(), shutdownTimeout: 100 };
  const module = await Test.createTestingModule({
    imports: [...(hasScheduler ? [ScheduleModule.forRoot()] : []), DistributedLockModule.forRoot(locks)],
    providers,
  }).compile();
  module.useLogger(false);
  try {
    await module.init();
  } finally {
    await module.close();
  }
}
