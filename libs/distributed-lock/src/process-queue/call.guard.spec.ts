import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { CallGuard } from './call.guard.js';

describe('the guard of a process that was notified of its turn', () => {
  let absent: string[];
  let guard: CallGuard;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    absent = [];
    guard = new CallGuard(new TimerWheel(), (place) => absent.push(place));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('reports a place whose process does not come within 30 ms', () => {
    guard.watch('a:1');
    vi.advanceTimersByTime(29);
    expect(absent).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(absent).toEqual(['a:1']);
    expect(guard.isSet).toBe(false);
  });

  test('reports nothing once the process has come', () => {
    guard.watch('a:1');
    guard.stop();
    vi.advanceTimersByTime(100);
    expect(absent).toEqual([]);
  });

  test('watches the place that was notified last', () => {
    guard.watch('a:1');
    vi.advanceTimersByTime(20);
    guard.watch('b:1');
    vi.advanceTimersByTime(20);
    expect(absent).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(absent).toEqual(['b:1']);
  });

  test('reports it again after each failure, later each time, and once a second in the end', () => {
    const began = performance.now();
    const times: number[] = [];
    const trying = new CallGuard(new TimerWheel(), (place) => {
      times.push(Math.round(performance.now() - began));
      trying.tryAgain(place);
    });
    trying.watch('a:1');
    vi.advanceTimersByTime(6000);
    const pauses = times.map((at, index) => at - (times[index - 1] ?? 0));
    expect(pauses.length).toBeGreaterThan(8);
    expect(Math.max(...pauses)).toBeLessThan(1000);
    expect(pauses.slice(1, 6).every((pause, index) => pause > (pauses[index] ?? 0) || index === 0)).toBe(
      true,
    );
    trying.stop();
    trying.tryAgain('a:1');
    vi.advanceTimersByTime(50);
    expect(times).toHaveLength(pauses.length + 1);
  });

  test('watches once more where its own process stood still, for the other one may have come', () => {
    guard.watch('a:1');
    const { now } = performance;
    const late = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 500);
    vi.advanceTimersByTime(31);
    expect(absent).toEqual([]);
    expect(guard.isSet).toBe(true);
    vi.advanceTimersByTime(40);
    expect(absent).toEqual(['a:1']);
    late.mockRestore();
  });

  test('reports it in the end where its own process is late each time', () => {
    guard.watch('a:1');
    const { now } = performance;
    let behind = 0;
    const late = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + behind);
    for (let turn = 0; turn < 3; turn += 1) {
      behind += 500;
      vi.advanceTimersByTime(31);
      expect(absent).toEqual([]);
    }
    behind += 500;
    vi.advanceTimersByTime(31);
    expect(absent).toEqual(['a:1']);
    late.mockRestore();
  });

  test('is not stopped by an answer to what was asked before the place was notified', () => {
    guard.watch('a:1');
    const { round } = guard;
    guard.watch('b:1');
    guard.stop(round);
    vi.advanceTimersByTime(40);
    expect(absent).toEqual(['b:1']);
    guard.watch('c:1');
    guard.stop(guard.round);
    vi.advanceTimersByTime(40);
    expect(absent).toEqual(['b:1']);
  });

  test('gives a place that is notified again no more time, nor one that another release leaves to others', () => {
    guard.watch('a:1');
    vi.advanceTimersByTime(20);
    guard.watch('a:1');
    guard.watch('');
    vi.advanceTimersByTime(12);
    expect(absent).toEqual(['a:1']);
  });
});
