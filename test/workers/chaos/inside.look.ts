import { setTimeout as sleep } from 'node:timers/promises';
import type { LockService } from 'nestjs-distributed-lock';
import { scaled } from '../../support/slowness.js';

/** What the library has in the process when nobody holds or waits, by name, once it has had time to end its work in the background. */
export async function leftInside(locks: LockService): Promise<Record<string, number>> {
  const end = performance.now() + scaled(10_000);
  let left = count(locks);
  while (Object.values(left).some((size) => size > 0) && performance.now() < end) {
    await sleep(20);
    left = count(locks);
  }
  return left;
}

/** Tests may look inside: what is there is no part of the library's types. */
function count(locks: LockService): Record<string, number> {
  return {
    localLocks: sizeAt(locks, 'engine', 'localLocks'),
    leases: sizeAt(locks, 'engine', 'context', 'watchdog'),
    channels: sizeAt(locks, 'engine', 'context', 'subscriptions'),
    releases: sizeAt(locks, 'engine', 'context', 'backgroundRelease'),
    timers: sizeAt(locks, 'engine', 'context', 'wheel'),
  };
}

function sizeAt(locks: LockService, ...path: readonly string[]): number {
  const found = [...path, 'size'].reduce<unknown>((object, name) => Reflect.get(Object(object), name), locks);
  if (typeof found !== 'number') throw new TypeError(`a LockService has no ${path.join('.')}`);
  return found;
}
