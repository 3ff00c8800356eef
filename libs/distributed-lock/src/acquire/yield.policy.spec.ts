import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { WakeSignal } from './wake.signal.js';
import { YieldPolicy, LONGEST_PAUSE } from './yield.policy.js';

const PAUSE = 5;

describe('the yield of a process that has released a lock', () => {
  let policy: YieldPolicy;
  let sleeper: WakeSignal;
  let asked: boolean;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    policy = new YieldPolicy();
    sleeper = new WakeSignal(new TimerWheel());
    asked = false;
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
  /** It has released the lock, and as many others were told of it. */
  const yieldTo = (others: number) =>
    policy.begin({ until: now() + PAUSE, pause: PAUSE, untilMessage: policy.messages + others });
  const ask = async () => {
    asked = false;
    void policy.pause(sleeper).then(() => {
      policy.requested();
      asked = true;
    });
    await pass(0);
  };

  test('does not happen when no other process was notified', async () => {
    await ask();
    expect(asked).toBe(true);
  });

  test('ends when each notified process has had the lock', async () => {
    yieldTo(2);
    await ask();
    await receiveMessage();
    await pass(PAUSE - 2);
    expect(asked).toBe(false);
    await receiveMessage();
    expect(asked).toBe(true);
  });

  test('lasts one pause when no other process takes the lock', async () => {
    yieldTo(3);
    await ask();
    await pass(PAUSE - 1);
    expect(asked).toBe(false);
    await pass(1);
    expect(asked).toBe(true);
  });

  test('goes on after an attempt in vain, until the next process releases the lock', async () => {
    yieldTo(2);
    await ask();
    await pass(PAUSE);
    expect(asked).toBe(true);
    await pass(20);
    policy.released();
    await ask();
    expect(asked).toBe(false);
    policy.released();
    sleeper.wake();
    await pass(0);
    expect(asked).toBe(true);
  });

  test('lasts as long as the other processes hold the lock, up to a bound', async () => {
    yieldTo(9);
    await receiveMessage();
    await pass(20);
    await receiveMessage();
    await ask();
    await pass(24);
    expect(asked).toBe(false);
    await pass(1);
    expect(asked).toBe(true);
    await pass(10_000);
    await receiveMessage();
    await ask();
    await pass(LONGEST_PAUSE - 1);
    expect(asked).toBe(false);
    await pass(1);
    expect(asked).toBe(true);
  });

  test('is over once the process has the lock again', async () => {
    yieldTo(2);
    policy.end();
    await ask();
    expect(asked).toBe(true);
  });
});
