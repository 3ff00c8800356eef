import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { LINGER, LingerTimer } from './linger.timer.js';

describe('how long a place in the queue stays', () => {
  const place = { isWaitedFor: false, isGuarding: false, ends: 0, end: () => Promise.resolve() };
  let timer: LingerTimer;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    timer = new LingerTimer(new TimerWheel(), place);
    Object.assign(place, {
      isWaitedFor: false,
      isGuarding: false,
      ends: 0,
      end() {
        place.ends += 1;
        timer.end();
        return Promise.resolve();
      },
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number) => vi.advanceTimersByTime(ms);

  /** It rested for long enough, while a caller of its process acquired the lock. */
  function becomeDue(): void {
    place.isWaitedFor = true;
    timer.rest();
    pass(LINGER + 1);
    place.isWaitedFor = false;
  }

  test('it ends when its process has rested for 100 ms', () => {
    timer.rest();
    pass(LINGER - 1);
    expect(place.ends).toBe(0);
    pass(2);
    expect(place.ends).toBe(1);
  });

  test('a rest that goes on is not a new one', () => {
    timer.rest();
    pass(LINGER - 20);
    timer.rest();
    pass(21);
    expect(place.ends).toBe(1);
  });

  test('it stays for another 100 ms when another process was in the way', () => {
    timer.rest();
    pass(LINGER / 2);
    timer.contended();
    pass(LINGER);
    expect(place.ends).toBe(0);
    pass(LINGER);
    expect(place.ends).toBe(1);
  });

  test('it stays while it looks after a process that was notified of its turn', () => {
    place.isGuarding = true;
    timer.rest();
    pass(5 * LINGER);
    expect(place.ends).toBe(0);
    place.isGuarding = false;
    pass(LINGER + 1);
    expect(place.ends).toBe(1);
  });

  test('it ends with the next release, when a caller acquired the lock just as the time was over', () => {
    becomeDue();
    pass(10 * LINGER);
    expect(place.ends).toBe(0);
    timer.rest();
    expect(place.ends).toBe(1);
  });

  test('a place that is due stays for a process that the release has notified: it has to be looked after', () => {
    becomeDue();
    timer.passed();
    place.isGuarding = true;
    timer.rest();
    pass(LINGER + 1);
    expect(place.ends).toBe(0);
  });

  test('a place that is due stays while it looks after a process that was notified before', () => {
    becomeDue();
    place.isGuarding = true;
    timer.rest();
    expect(place.ends).toBe(0);
  });

  test('a place that is due begins anew when another process was in the way', () => {
    becomeDue();
    timer.contended();
    timer.rest();
    expect(place.ends).toBe(0);
    pass(LINGER + 1);
    expect(place.ends).toBe(1);
  });

  test('a place in whose way others were is not due when a caller acquires the lock', () => {
    timer.passed();
    place.isWaitedFor = true;
    pass(LINGER + 1);
    place.isWaitedFor = false;
    timer.rest();
    expect(place.ends).toBe(0);
  });

  test('nothing begins anew once it has ended', () => {
    timer.end();
    timer.passed();
    timer.contended();
    timer.rest();
    pass(5 * LINGER);
    expect(place.ends).toBe(0);
  });
});
