import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { WakeSignal } from './wake.signal.js';
import { YieldPolicy, LONGEST_YIELD } from './yield.policy.js';

const PAUSE = 5;

describe('the yield of a process that has released a lock', () => {
  let policy: YieldPolicy;
  let sleeper: WakeSignal;
  let requested: boolean;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    policy = new YieldPolicy();
    sleeper = new WakeSignal(new TimerWheel());
    requested = false;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const receiveMessage = async () => {
    policy.released();
    sleeper.wake();
    await pass(0);
  };
  /** It has released the lock, and as many others were notified of it. */
  const yieldTo = (others: number) =>
    policy.begin({
      until: now() + PAUSE,
      pause: PAUSE,
      untilMessage: policy.messages + others,
      isTurn: false,
    });
  const request = async () => {
    requested = false;
    void policy.pause(sleeper).then(() => {
      policy.requested();
      requested = true;
    });
    await pass(0);
  };

  test('does not happen when no other process was notified', async () => {
    await request();
    expect(requested).toBe(true);
  });

  test('ends when each notified process has had the lock', async () => {
    yieldTo(2);
    await request();
    await receiveMessage();
    await pass(PAUSE - 2);
    expect(requested).toBe(false);
    await receiveMessage();
    expect(requested).toBe(true);
  });

  test('lasts one pause when no other process takes the lock', async () => {
    yieldTo(3);
    await request();
    await pass(PAUSE - 1);
    expect(requested).toBe(false);
    await pass(1);
    expect(requested).toBe(true);
  });

  test('goes on after an attempt in vain, until the next process releases the lock', async () => {
    yieldTo(2);
    await request();
    await pass(PAUSE);
    expect(requested).toBe(true);
    await pass(20);
    policy.released();
    await request();
    expect(requested).toBe(false);
    policy.released();
    sleeper.wake();
    await pass(0);
    expect(requested).toBe(true);
  });

  test('lasts as long as the other processes hold the lock, up to a bound', async () => {
    yieldTo(9);
    await receiveMessage();
    await pass(20);
    await receiveMessage();
    await request();
    await pass(24);
    expect(requested).toBe(false);
    await pass(1);
    expect(requested).toBe(true);
    await pass(10_000);
    await receiveMessage();
    await request();
    await pass(LONGEST_YIELD - 1);
    expect(requested).toBe(false);
    await pass(1);
    expect(requested).toBe(true);
  });

  test('is over once the process has the lock again', async () => {
    yieldTo(2);
    policy.end();
    await request();
    expect(requested).toBe(true);
  });
});
