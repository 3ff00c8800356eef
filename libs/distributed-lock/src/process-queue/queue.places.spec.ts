import { expect, test } from 'vitest';
import type { LockTarget } from '../core/lock.target.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { QueuePlaces } from './queue.places.js';

test('opens no place any more once it has ended: nothing would end that one', async () => {
  const wheel = new TimerWheel();
  const places = new QueuePlaces({
    context: { wheel } as never,
    isHeld: () => false,
    isWaitedFor: () => false,
    ended: () => undefined,
  });
  const target = { id: 'a', key: 'a', channel: 'c', kind: { queue: {} } } as unknown as LockTarget;
  await places.end();
  expect(places.open(target)).toBeUndefined();
  expect(places.byLock.size).toBe(0);
});
