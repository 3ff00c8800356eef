import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { PingTimer } from './ping.timer.js';

describe('the pings of a connection that subscribes', () => {
  const ping = vi.fn<() => void>();
  let wheel: TimerWheel;
  let timer: PingTimer;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    ping.mockClear();
    wheel = new TimerWheel();
    timer = new PingTimer(wheel, ping);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('are sent every 15 s while nothing arrives', () => {
    timer.start();
    vi.advanceTimersByTime(14_990);
    expect(ping).not.toHaveBeenCalled();
    vi.advanceTimersByTime(30_020);
    expect(ping).toHaveBeenCalledTimes(3);
  });

  test('are not sent while messages arrive, and 15 s after the last one', () => {
    timer.start();
    for (let time = 0; time < 6; time += 1) {
      vi.advanceTimersByTime(10_000);
      timer.received();
    }
    vi.advanceTimersByTime(14_990);
    expect(ping).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20);
    expect(ping).toHaveBeenCalledOnce();
  });

  test('begin once, however often they are started', () => {
    timer.start();
    vi.advanceTimersByTime(10_000);
    timer.start();
    vi.advanceTimersByTime(5010);
    expect(ping).toHaveBeenCalledOnce();
    expect(wheel.size).toBe(1);
  });

  test('end, and leave no timer', () => {
    timer.start();
    timer.stop();
    expect(wheel.size).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(ping).not.toHaveBeenCalled();
  });
});
