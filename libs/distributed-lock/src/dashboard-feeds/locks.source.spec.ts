import { expect, test } from 'vitest';
import type { FoundLock, LockPage } from '../contracts/fleet.contract.js';
import type { LockService } from '../service/lock.service.js';
import { LocksSource } from './locks.source.js';

const lock: FoundLock = {
  // As a `nameMapper` has made it of `order:1`.
  ...{ name: 'shop:order:1', key: 'shop:order:1' },
  ...{ kind: 'lock', holders: [], left: undefined, ttl: 1000, waiters: [], waiting: 0 },
};

/** A Redis with so many keys that one read does not reach the end of them; the first page alone has the lock. */
function fullOfKeys(): LockService {
  const page = (from: string | undefined): LockPage => ({
    locks: from === undefined ? [lock] : [],
    next: `0.${Number(from?.slice(2) ?? 0) + 1}`,
  });
  return {
    ...Object.create(null),
    ticks: { clock: { now: () => 1 } },
    fleet: {
      locks: ({ from }: { readonly from?: string }) => Promise.resolve(page(from)),
      // Nothing has a name that is mapped twice.
      lock: () => Promise.resolve(undefined),
    },
    fleetReader: { at: (key: string) => Promise.resolve(key === lock.key ? lock : undefined) },
  };
}

test('a lock with a mapped name is in each event, also in a Redis with more keys than one read reaches', async () => {
  const source = new LocksSource(fullOfKeys(), '');
  for (let read = 0; read < 3; read += 1)
    expect((await source.read()).locks.map(({ key }) => key)).toEqual(['shop:order:1']);
});
