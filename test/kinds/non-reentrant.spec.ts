import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REMEDIES } from '../../libs/distributed-lock/src/errors/error.table.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';

const services = new Services();
let one: LockService;
let other: LockService;
beforeAll(async () => {
  [one, other] = await Promise.all([services.open(), services.open()]);
});
afterAll(() => services.close());

describe.each([
  ['non-re-entrant lock', (service: LockService) => service.getNonReentrantLock('plain')],
  ['non-re-entrant fair lock', (service: LockService) => service.getNonReentrantFairLock('queued')],
] as const)('a scope that holds a %s', (kind, lockOf) => {
  test('gets an error at once when it requests the lock again, by any method, and goes on holding it', async () => {
    const lock = lockOf(one);
    await lock.using(async (handle) => {
      const start = performance.now();
      const doors = [
        lock.lock(),
        lock.lock({ waitTime: '10s' }),
        lock.tryLock(),
        lock.tryLock({ waitTime: '10s' }),
        lock.using(() => 'ran'),
      ];
      const message = `This code runs inside ${kind} "${lock.name}", and acquires that lock again. ${REMEDIES.NOT_REENTRANT}`;
      for (const end of await Promise.allSettled(doors)) {
        expect(end).toMatchObject({
          status: 'rejected',
          reason: { name: 'LockConfigurationError', code: 'NOT_REENTRANT', lock: lock.name, message },
        });
      }
      expect(performance.now() - start).toBeLessThan(scaled(500));
      expect([handle.isHeld, await lock.getHoldCount()]).toEqual([true, 1]);
      expect(await lockOf(other).tryLock()).toBeNull();
    });
    expect(await lock.isLocked()).toBe(false);
  });

  test('may take it again when it has ended, and so may everybody outside of it', async () => {
    const lock = lockOf(one);
    const handle = await lock.lock();
    const waiting = [lock.lock(), lockOf(other).lock()];
    await handle.run(async () => {
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'NOT_REENTRANT' });
      expect(await handle.unlock()).toBe('released');
      waiting.push(lock.lock());
    });
    const outcomes = await Promise.all(waiting.map(async (granted) => (await granted).unlock()));
    expect(outcomes).toEqual(['released', 'released', 'released']);
  });
});
