import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { StallGuard } from './stall.guard.js';

describe('the guard of a silent connection', () => {
  let wheel: TimerWheel;
  let guard: StallGuard;
  const stalled = vi.fn<() => void>();
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    stalled.mockClear();
    wheel = new TimerWheel();
    guard = new StallGuard(wheel, 3000, stalled);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await new Promise(setImmediate);
  };

  test('reports nothing while no reply is expected, and has no timer then', async () => {
    await pass(60_000);
    expect(stalled).not.toHaveBeenCalled();
    guard.expect();
    guard.progress();
    expect(wheel.size).toBe(0);
    await pass(60_000);
    expect(stalled).not.toHaveBeenCalled();
  });

  test('reports a silence while a reply is expected, again and again', async () => {
    guard.expect();
    await pass(2999);
    expect(stalled).not.toHaveBeenCalled();
    await pass(2);
    expect(stalled).toHaveBeenCalledOnce();
    await pass(3001);
    expect(stalled).toHaveBeenCalledTimes(2);
    guard.progress();
    expect(wheel.size).toBe(0);
  });

  test('reports nothing while anything arrives', async () => {
    guard.expect();
    for (let time = 0; time < 10; time += 1) {
      guard.expect();
      await pass(2000);
      guard.progress();
    }
    expect(stalled).not.toHaveBeenCalled();
    await pass(3001);
    expect(stalled).toHaveBeenCalledOnce();
  });

  test('does not count the silence before the request', async () => {
    guard.expect();
    guard.progress();
    await pass(60_000);
    guard.expect();
    await pass(2999);
    expect(stalled).not.toHaveBeenCalled();
  });

  test('reports nothing when the reply came while the event loop was blocked', async () => {
    guard.expect();
    setImmediate(() => guard.progress());
    await pass(60_000);
    await new Promise(setImmediate);
    expect(stalled).not.toHaveBeenCalled();
    expect(wheel.size).toBe(0);
  });

  test('has one timer when something is sent right after such a reply, and none in the end', async () => {
    guard.expect();
    setImmediate(() => {
      guard.progress();
      guard.expect();
    });
    await pass(60_000);
    await new Promise(setImmediate);
    expect(wheel.size).toBe(1);
    guard.progress();
    expect(wheel.size).toBe(0);
    expect(stalled).not.toHaveBeenCalled();
  });

  test('reports a stall although a command is sent in every turn of the event loop', async () => {
    for (let sent = 0; sent < 70; sent += 1) {
      guard.expect();
      vi.advanceTimersByTime(50);
      guard.expect();
      await new Promise(setImmediate);
    }
    expect(stalled).toHaveBeenCalledOnce();
  });
});
