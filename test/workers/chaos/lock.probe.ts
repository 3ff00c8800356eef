import { setTimeout as sleep } from 'node:timers/promises';
import type { LockOptions, LockService, PermitExpirableSemaphore } from 'nestjs-distributed-lock';
import { ROOM } from './call.draw.js';
import type { ChaosSettings } from './chaos.protocol.js';

/** What can be given back. */
interface Releasable {
  unlock(): Promise<unknown>;
}

/**
 * Takes every lock once, and releases it: whoever died has its lease, and a place in the queue of a fair lock until the next call
 * after it. @returns what could not be had in time
 */
export async function probe(locks: LockService, settings: ChaosSettings, within: number): Promise<string[]> {
  const options = { waitTime: within };
  const numbers = Array.from({ length: settings.names }, (_, number) => number);
  const all = numbers.flatMap((number) => [
    locks.getLock(`reentrant-${number}`),
    locks.getNonReentrantLock(`nonReentrant-${number}`),
    locks.getFairLock(`fair-${number}`),
    locks.getFencedLock(`fenced-${number}`),
    locks.getSpinLock(`spin-${number}`),
    locks.getReadWriteLock(`rw-${number}`).writeLock(),
  ]);
  const semaphores = numbers.map((number) => locks.getPermitExpirableSemaphore(`permit-${number}`));
  await Promise.all(
    semaphores.map((semaphore) =>
      insist<unknown>(within, () =>
        // Data that is lost takes permits with it: who has them, and how many are left, are two keys.
        settings.mode === 'lossy' ? semaphore.setPermits(ROOM) : semaphore.trySetPermits(ROOM),
      ),
    ),
  );
  const stuck = await Promise.all([
    ...all.map((lock) => attempt(lock.name, () => lock.lock(options))),
    ...semaphores.map((semaphore) => attempt(semaphore.name, () => acquireAll(semaphore, options))),
  ]);
  return stuck.filter((name) => name !== undefined);
}

/** All permits at once: one after the other, those that are free would do, and a dead process's permit would stay taken. */
async function acquireAll(semaphore: PermitExpirableSemaphore, options: LockOptions): Promise<Releasable> {
  const asked = await Promise.allSettled(Array.from({ length: ROOM }, () => semaphore.acquire(options)));
  const handles = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const unlock = () => Promise.all(handles.map((handle) => handle.unlock()));
  const failed = asked.find((one) => one.status === 'rejected');
  if (failed === undefined) return { unlock };
  await unlock();
  throw failed.reason;
}

/** Asks until there is an answer: the cluster may still be finding together. */
async function insist<T>(within: number, ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + within;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(100);
    }
  }
}

async function attempt(name: string, take: () => Promise<Releasable>): Promise<string | undefined> {
  try {
    const handle = await take();
    await handle.unlock();
    return undefined;
  } catch (error) {
    return `${name}: ${String(error)}`;
  }
}
