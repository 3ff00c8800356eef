import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
    new HoldTimers(
      wheel,
      { warnAfter, maxHold },
      {
        post: (notice) =>
          rung.push(notice.kind === 'long-hold' ? `warn after ${Math.round(notice.held)}` : notice.kind),
        lose: ({ why, code }) => void rung.push(`${code}: ${why}`),
      },
    );

  test('are none when no option requests one', () => {
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
    expect(rung).toEqual([
      'warn after 100',
      'overheld',
      'MAX_HOLD: it was held for longer than maxHold (200 ms)',
    ]);
    expect(wheel.size).toBe(0);
  });

  test('count anew when they begin again', () => {
    const both = timers(100, 200);
    pass(90);
    both.cancel();
    pass(1000);
    both.begin();
    pass(99);
    expect(rung).toEqual([]);
    pass(1);
    expect(rung).toEqual(['warn after 100']);
  });

  test('ring never once cancelled', () => {
    timers(100, 200).cancel();
    expect(wheel.size).toBe(0);
    pass(1000);
    expect(rung).toEqual([]);
  });
});
