import { Controller, Get, Injectable, Module, UseInterceptors, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as library from 'nestjs-distributed-lock';
import {
  DistributedLock,
  DistributedLockInterceptor,
  LockService,
  lockServiceToken,
  UseDistributedLock,
  type CountDownLatch,
  type Election,
  type FencedLock,
  type Lockable,
  type PermitExpirableSemaphore,
  type ReadWriteLock,
  type Semaphore,
} from 'nestjs-distributed-lock';
import { NAME } from './shorter.stage.js';

/** Waits, by one way in, for what it is given; resolves when it has it. */
export type Door<T> = (thing: T, signal: AbortSignal) => Promise<unknown>;

/** An answer for everything that a caller can do with something: how it waits, or why it does not. A member without one does not compile. */
export type Doors<T> = { readonly [member in keyof T]: Door<T> | string };

const LONG = '1h';
const ASKS = 'asks once, or nobody';
const GIVES = 'gives what has a table of its own';

/** Resolves when work begins: what comes of its caller is not waited for. */
const begun = (start: (work: () => Promise<void>) => Promise<unknown>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const work = () => Promise.resolve(resolve('begun'));
    start(work).catch(reject);
  });

/** Of locks of every kind, multi locks and red locks. */
export const LOCKABLE: Doors<Lockable> = {
  name: ASKS,
  lock: (lock, signal) => lock.lock({ signal }),
  tryLock: (lock, signal) => lock.tryLock({ waitTime: LONG, signal }),
  using: (lock, signal) => begun((work) => lock.using(work, { signal })),
  isHeld: ASKS,
};

/** What locks of one name have beside. */
export const NAMED: Doors<Omit<FencedLock & ReadWriteLock, keyof Lockable>> = {
  isLocked: ASKS,
  getHoldCount: ASKS,
  remainTimeToLive: ASKS,
  forceUnlock: ASKS,
  getToken: ASKS,
  readLock: GIVES,
  writeLock: GIVES,
};

export const PERMITS: Doors<PermitExpirableSemaphore> = {
  name: ASKS,
  acquire: (semaphore, signal) => semaphore.acquire({ signal }),
  tryAcquire: (semaphore, signal) => semaphore.tryAcquire({ waitTime: LONG, signal }),
  using: (semaphore, signal) => begun((work) => semaphore.using(work, { signal })),
  trySetPermits: ASKS,
  setPermits: ASKS,
  addPermits: ASKS,
  tryRelease: ASKS,
  updateLeaseTime: ASKS,
  getLeaseTime: ASKS,
  availablePermits: ASKS,
  acquiredPermits: ASKS,
  getPermits: ASKS,
  delete: ASKS,
};

export const SEMAPHORE: Doors<Semaphore> = {
  name: ASKS,
  acquire: (semaphore, signal) => semaphore.acquire(1, { signal }),
  tryAcquire: (semaphore, signal) => semaphore.tryAcquire(1, { waitTime: LONG, signal }),
  using: (semaphore, signal) => begun((work) => semaphore.using(work, { signal })),
  trySetPermits: ASKS,
  release: ASKS,
  releaseIfExists: ASKS,
  availablePermits: ASKS,
  drainPermits: ASKS,
  addPermits: ASKS,
  delete: ASKS,
};

export const LATCH: Doors<CountDownLatch> = {
  name: ASKS,
  await: (latch, signal) => latch.await({ signal }),
  trySetCount: ASKS,
  countDown: ASKS,
  getCount: ASKS,
  delete: ASKS,
};

/** A candidate waits from its making on. */
export const ELECTION: Doors<Election> = {
  key: ASKS,
  isLeader: ASKS,
  token: ASKS,
  resign: 'waits for its own work',
  stop: 'waits for its own work',
  [Symbol.asyncDispose]: 'waits for its own work',
};

/** What a service is asked by name. */
export const SERVICE: Doors<LockService> = {
  using: (locks, signal) => begun((work) => locks.using(NAME, work, { signal })),
  elect: (locks) => begun((work) => Promise.resolve(locks.elect(NAME, { onElected: work }))),
  getLock: GIVES,
  getNonReentrantLock: GIVES,
  getFairLock: GIVES,
  getNonReentrantFairLock: GIVES,
  getFencedLock: GIVES,
  getSpinLock: GIVES,
  getReadWriteLock: GIVES,
  getMultiLock: GIVES,
  getRedLock: GIVES,
  getSemaphore: GIVES,
  getPermitExpirableSemaphore: GIVES,
  getCountDownLatch: GIVES,
  lockOf: GIVES,
  engine: GIVES,
  ticks: GIVES,
  red: GIVES,
  elections: GIVES,
  jobs: GIVES,
  fleet: GIVES,
  settings: GIVES,
  events: GIVES,
  runOnce: ASKS,
  getRuns: ASKS,
  refuseTicks: ASKS,
  beginShutdown: ASKS,
  shutDown: 'waits for work of its own',
  onceEnded: ASKS,
  fleetReader: GIVES,
};

/** What the package exports, for a service that an application has. */
export const EXPORTS: { readonly [name in keyof typeof library]: Door<LockService> | string } = {
  DistributedLock: (locks, signal) => sent(Decorated, locks, signal),
  UseDistributedLock: (locks, signal) => sent(Intercepted, locks, signal),
  DistributedLockInterceptor: (locks, signal) => {
    const interceptor = new DistributedLockInterceptor(locks, { key: NAME, waitTime: LONG });
    @Controller()
    class Bound {
      @Get()
      @UseInterceptors(interceptor)
      async run(): Promise<void> {}
    }
    return sent(Bound, locks, signal);
  },
  LockService: GIVES,
  LeaderOnly: 'refuses at once; the candidate waits, as one of elect() does',
  InjectLockService: GIVES,
  DistributedLockModule: GIVES,
  lockServiceToken: GIVES,
  directCall: ASKS,
  assertLocked: ASKS,
  currentLock: ASKS,
  guardedWrite: ASKS,
  FENCE_LUA: ASKS,
  LockRefusalFilter: ASKS,
  DistributedLockError: ASKS,
  LockConfigurationError: ASKS,
  LockLostError: ASKS,
  LockNotAcquiredError: ASKS,
  LockUnavailableError: ASKS,
  StaleTokenError: ASKS,
};

@Injectable()
@Controller()
class Decorated {
  @Get()
  @DistributedLock(NAME, { waitTime: LONG })
  async run(): Promise<void> {}
}

@Controller()
class Intercepted {
  @Get()
  @UseDistributedLock({ key: NAME, waitTime: LONG })
  async run(): Promise<void> {}
}

/** Sends a request to an application whose service this is; resolves when it is answered, with the lock released. */
async function sent(controller: Type, locks: LockService, signal: AbortSignal): Promise<void> {
  const providers = [LockService, lockServiceToken()].map((provide) => ({ provide, useValue: locks }));
  @Module({ controllers: [controller], providers })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  signal.addEventListener('abort', () => void app.close());
  await app.listen(0, '127.0.0.1');
  const { status } = await fetch(await app.getUrl(), { signal });
  if (status !== 200) throw new Error(`the request was answered with ${status}`);
}
