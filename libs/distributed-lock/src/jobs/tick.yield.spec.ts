import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { TickYield } from './tick.yield.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** How long a tick is kept from its claim, in ms. */
async function pauseOf(yields: TickYield, tick: number): Promise<number> {
  const began = performance.now();
  let passed: number | undefined;
  void yields.pass(tick).then(() => (passed = performance.now() - began));
  await vi.advanceTimersByTimeAsync(20);
  if (passed === undefined) throw new Error('it has not passed');
  return Math.round(passed);
}

async function pausesOf(hasOthers: boolean): Promise<number[]> {
  const yields = new TickYield({ hasOthers, wheel: new TimerWheel() });
  const pauses = [await pauseOf(yields, 1)];
  yields.ran();
  for (let tick = 2; tick <= 7; tick += 1) pauses.push(await pauseOf(yields, tick));
  return pauses;
}

describe('the claim of a tick', () => {
  test('is sent later by an instance that ran the last one, and less later with each tick of another instance', async () => {
    expect(await pausesOf(true)).toEqual([0, 8, 6, 4, 2, 0, 0]);
  });

  test('is sent at once by an instance that is alone', async () => {
    expect(await pausesOf(false)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('is sent later at three of sixteen ticks by an instance that runs them all', async () => {
    const yields = new TickYield({ hasOthers: true, wheel: new TimerWheel() });
    const pauses: number[] = [];
    for (let tick = 1; tick <= 22; tick += 1) {
      pauses.push(await pauseOf(yields, tick));
      yields.ran();
    }
    const none = (count: number) => Array.from({ length: count }, () => 0);
    expect(pauses).toEqual([0, 8, 8, ...none(13), 8, 8, 8, ...none(3)]);
  });

  test('that is repeated is not sent later again', async () => {
    const yields = new TickYield({ hasOthers: true, wheel: new TimerWheel() });
    yields.ran();
    expect([await pauseOf(yields, 1), await pauseOf(yields, 1)]).toEqual([8, 0]);
  });
});
