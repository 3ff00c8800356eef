import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { AcquireLoop } from './acquire.loop.js';
import type { Yield } from './yield.policy.js';

const PAUSE = 20;

describe('a loop that pauses for other processes', () => {
  let waiters: string[];
  let requests: string[];
  let stops: number;
  let ends: number;
  let loop: AcquireLoop<string, { readonly kind: 'granted' }>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    waiters = ['first', 'second'];
    requests = [];
    stops = 0;
    ends = 0;
    const context = { wheel: new TimerWheel(), outside: (work: () => void) => work(), settings: {} };
    loop = new AcquireLoop<string, { readonly kind: 'granted' }>(
      context as never,
      {
        next: () => waiters[0],
        granted: () => void waiters.shift(),
        notGranted: () => undefined,
        get hasWaiters() {
          return waiters.length > 0;
        },
        begin: () => undefined,
        end: () => void (ends += 1),
      },
      {
        request: (terms, conclude) => {
          requests.push(terms);
          conclude({ kind: 'granted' });
        },
        undo: () => undefined,
      },
      { isListening: false, sleep: () => Promise.resolve(), stop: () => void (stops += 1) },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pause = (): Yield => ({ until: now() + PAUSE, pause: PAUSE, untilMessage: 1, isTurn: true });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test('makes its request afterwards', async () => {
    loop.wakeAfterYield(pause());
    await pass(PAUSE - 5);
    expect(requests).toEqual([]);
    await pass(10);
    expect(requests).toEqual(['first', 'second']);
  });

  test('makes none for a waiter that has left meanwhile, and ends', async () => {
    loop.wakeAfterYield(pause());
    await pass(5);
    waiters = [];
    loop.stopListening();
    await pass(2 * PAUSE);
    expect([requests, stops, ends]).toEqual([[], 1, 1]);
  });

  test('makes it with the terms of the waiter that is the first then', async () => {
    loop.wakeAfterYield(pause());
    await pass(5);
    waiters = ['second'];
    await pass(PAUSE);
    expect(requests).toEqual(['second']);
  });
});
