import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { HoldTimers } from './hold.timers.js';

describe('the alarms of a hold', () => {
  let wheel: TimerWheel;
  let rung: string[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    wheel = new TimerWheel();
    rung = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number) => vi.advanceTimersByTime(ms);
  const timers = (warnAfter = Infinity, maxHold = Infinity) =>
    new HoldTimers(wheel, warnAfter, maxHold, {
      check: () => rung.push('check'),
      warn: (held) => rung.push(`warn after ${Math.round(held)}`),
      end: () => rung.push('end'),
    });

  test('are none when nothing is asked for', () => {
    timers();
    expect(wheel.size).toBe(0);
  });

  test('warn and end once, in their time', () => {
    timers(100, 200);
    pass(99);
    expect(rung).toEqual([]);
    pass(1);
    expect(rung).toEqual(['warn after 100']);
    pass(1000);
    expect(rung).toEqual(['warn after 100', 'end']);
    expect(wheel.size).toBe(0);
  });

  test('check at the earliest deadline that was named', () => {
    const alarms = timers();
    alarms.arm(now() + 300);
    alarms.arm(now() + 100);
    alarms.arm(now() + 200);
    pass(100);
    expect(rung).toEqual(['check']);
    pass(1000);
    expect(rung).toEqual(['check']);
  });

  test('check again when they are set again', () => {
    const alarms = timers();
    alarms.arm(now() + 100);
    pass(100);
    alarms.arm(now() + 100);
    pass(100);
    expect(rung).toEqual(['check', 'check']);
  });

  test('ring never again once cancelled, though an operation that comes back late sets them', () => {
    const alarms = timers(100, 200);
    alarms.arm(now() + 50);
    alarms.cancel();
    alarms.arm(now() + 40);
    alarms.arm(now() + 60);
    expect(wheel.size).toBe(0);
    pass(1000);
    expect(rung).toEqual([]);
  });
});
