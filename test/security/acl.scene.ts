import type { Redis } from 'ioredis';
import type { Lock, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { instants } from '../ticks/bare.instants.js';

/** Long enough for a waiter in the queue of a fair lock to give a sign of life. */
const WAIT = { waitTime: 1300 } as const;

/** Does everything that the library does to Redis once, and goes on when something of it is refused. */
export async function doEverything(service: LockService, room: string, admin: Redis): Promise<void> {
  const name = (what: string) => `${room}:${what}`;
  // A token that is ahead of the clock, as after one that stepped back.
  await admin.set(`redisson_lock_token:{lock:${name('ahead')}}`, '9000000000000000');
  await Promise.all([
    contend(service.getLock(name('lock'))),
    contend(service.getFencedLock(name('fenced'))),
    force(service.getLock(name('forced'))),
    force(service.getFairLock(name('forced fair'))),
    queue(service.getFairLock(name('fair'))),
    readAndWrite(service, name('shelf')),
    force(service.getReadWriteLock(name('forced read')).readLock()),
    force(service.getReadWriteLock(name('forced write')).writeLock()),
    count(service, name('permits')),
    countWithLeases(service, name('leases')),
    countDown(service, name('latch')),
    run(service, name('job')),
    attempt(() => service.getFencedLock(name('ahead')).using(() => undefined)),
    attempt(() => service.getFencedLock(name('ahead')).getToken()),
    attempt(() => service.getMultiLock(name('m1'), name('m2')).using(() => undefined)),
  ]);
}

async function attempt<T>(step: () => T | PromiseLike<T>): Promise<Awaited<T> | undefined> {
  try {
    return await step();
  } catch {
    return undefined;
  }
}

/** Holds, enters again, is renewed, is waited for and handed over. */
async function contend(lock: Lock): Promise<void> {
  const held = await attempt(() => lock.lock(WAIT));
  await attempt(() => held?.run(() => lock.using(() => lock.getHoldCount(), { leaseTime: 300 })));
  await attempt(() => held?.extend(5000));
  const waiting = [attempt(() => lock.lock({ ...WAIT, leaseTime: 1000 })), attempt(() => lock.lock(WAIT))];
  await attempt(() => lock.isLocked());
  await attempt(() => held?.unlock());
  await Promise.all(waiting.map((next) => leave(next)));
}

async function force(lock: Lock): Promise<void> {
  const held = await attempt(() => lock.lock(WAIT));
  await attempt(() => lock.forceUnlock());
  await attempt(() => held?.unlock());
}

/** A queue, out of whose middle one goes; the others give signs of life. */
async function queue(lock: Lock): Promise<void> {
  const held = await attempt(() => lock.lock(WAIT));
  const first = attempt(() => lock.lock({ waitTime: 3000 }));
  const second = attempt(() => lock.tryLock({ waitTime: 50 }));
  const third = attempt(() => lock.lock({ waitTime: 3000 }));
  await second;
  await attempt(() => lock.tryLock(WAIT));
  await attempt(() => held?.unlock());
  await Promise.all([first, third].map((next) => leave(next)));
}

async function readAndWrite(service: LockService, name: string): Promise<void> {
  const [readLock, writeLock] = [
    service.getReadWriteLock(name).readLock(),
    service.getReadWriteLock(name).writeLock(),
  ];
  const written = await attempt(() => writeLock.lock(WAIT));
  const inner = await attempt(() => written?.run(() => readLock.lock()));
  await attempt(() => readLock.isLocked());
  await attempt(() => written?.unlock());
  await attempt(() => readLock.isLocked());
  const other = await attempt(() => readLock.lock(WAIT));
  await attempt(() => other?.run(() => readLock.lock({ leaseTime: 300 })));
  const writer = attempt(() => writeLock.lock(WAIT));
  await attempt(() => writeLock.tryLock({ waitTime: 400 }));
  await attempt(() => inner?.unlock());
  await attempt(() => other?.unlock());
  await leave(writer);
}

async function count(service: LockService, name: string): Promise<void> {
  const semaphore = service.getSemaphore(name);
  await attempt(() => semaphore.trySetPermits(2, 60_000));
  await attempt(() => semaphore.tryAcquire(2));
  const waiting = attempt(() => semaphore.tryAcquire(1, WAIT));
  await attempt(() => semaphore.release());
  await waiting;
  await attempt(() => semaphore.releaseIfExists());
  await attempt(() => semaphore.addPermits(2));
  await attempt(() => semaphore.availablePermits());
  await attempt(() => semaphore.drainPermits());
  await attempt(() => semaphore.delete());
}

async function countWithLeases(service: LockService, name: string): Promise<void> {
  const semaphore = service.getPermitExpirableSemaphore(name);
  await attempt(() => semaphore.trySetPermits(1));
  await attempt(() => semaphore.acquire({ ...WAIT, leaseTime: 100 }));
  const permit = await attempt(() => semaphore.acquire(WAIT));
  await attempt(() => permit?.extend(5000));
  await attempt(() => semaphore.getPermits());
  await attempt(() => permit?.unlock());
  await attempt(() => semaphore.setPermits(3));
  await attempt(() => semaphore.delete());
}

async function countDown(service: LockService, name: string): Promise<void> {
  const latch = service.getCountDownLatch(name);
  await attempt(() => latch.trySetCount(2));
  const waiting = attempt(() => latch.await(WAIT));
  await attempt(() => latch.countDown());
  await attempt(() => latch.getCount());
  await attempt(() => latch.countDown());
  await waiting;
  await attempt(() => latch.trySetCount(1));
  await attempt(() => latch.delete());
}

async function run(service: LockService, job: string): Promise<void> {
  await attempt(() =>
    service.ticks.jobs.register(
      job,
      'every day',
      instants(() => 500),
    ),
  );
  await attempt(() => service.runOnce(job, 1000, () => undefined));
  await attempt(() =>
    service.runOnce(job, 2000, () => {
      throw new Error('it failed');
    }),
  );
  await attempt(() => service.getRuns(job));
  await attempt(() => service.jobs.list());
  await attempt(() => service.jobs.pause(job));
  await attempt(() => service.jobs.status(job));
  await attempt(() => service.jobs.resume(job));
  await attempt(() => service.jobs.runNow(job, { timeout: 200 }));
  await attempt(() => service.jobs.forget(job, { force: true }));
}

async function leave(handle: Promise<LockHandle | undefined>): Promise<void> {
  const granted = await handle;
  await attempt(() => granted?.unlock());
}
