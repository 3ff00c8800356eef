import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { WakeSignal } from './wake.signal.js';

describe('a wake signal', () => {
  let wheel: TimerWheel;
  let signal: WakeSignal;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    wheel = new TimerWheel();
    signal = new WakeSignal(wheel);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether a sleep of `delay` ms is over after `ms`. */
  async function isAwakeAfter(ms: number, delay = 1000): Promise<boolean> {
    let awake = false;
    void signal.sleep(delay).then(() => (awake = true));
    await vi.advanceTimersByTimeAsync(ms);
    return awake;
  }

  test('ends a sleep when its time is over, and leaves no timer', async () => {
    expect(await isAwakeAfter(1001)).toBe(true);
    expect(wheel.size).toBe(0);
  });

  test('lets a sleep last until it is woken', async () => {
    expect(await isAwakeAfter(999)).toBe(false);
  });

  test('ends a sleep at a wake, and leaves no timer', async () => {
    const asleep = signal.sleep(1000);
    signal.wake();
    await asleep;
    expect(wheel.size).toBe(0);
  });

  test('keeps a wake that comes before the sleep, for one sleep', async () => {
    signal.wake();
    signal.wake();
    expect(await isAwakeAfter(0)).toBe(true);
    expect(await isAwakeAfter(999)).toBe(false);
  });

  test('does not keep the wake that ended a sleep', async () => {
    const asleep = signal.sleep(1000);
    signal.wake();
    await asleep;
    expect(await isAwakeAfter(999)).toBe(false);
  });

  test('forgets a kept wake when it is cleared', async () => {
    signal.wake();
    signal.clear();
    expect(await isAwakeAfter(999)).toBe(false);
  });
});
