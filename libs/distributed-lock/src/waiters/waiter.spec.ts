import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { Waiter, type WaitRequest } from './waiter.js';

describe('a waiter', () => {
  let wheel: TimerWheel;
  const quit = vi.fn<(waiter: Waiter<string>) => void>();
  const timeUp = vi.fn<() => Error>(() => new Error('time is up'));
  const warn = vi.fn<(waiter: Waiter<string>) => void>();
  /** The turn of the event loop ends: Node has run its timers, has read what had arrived, and has run what setImmediate kept. */
  const endOfTurn = () => new Promise(setImmediate);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    wheel = new TimerWheel();
    for (const callback of [quit, timeUp, warn]) callback.mockClear();
  });
  afterEach(() => {
    vi.useRealTimers();
    if (wheel.size > 0) throw new Error(`${wheel.size} timers are left`);
  });

  const wait = (request: Partial<WaitRequest> = {}) => {
    const whole = { leaseTime: undefined, waitTime: Infinity, signal: undefined, nested: false, ...request };
    return new Waiter<string>(whole, wheel, { quit, timeoutError: timeUp, warn });
  };

  test('is granted once, and nothing changes that later', async () => {
    const abort = new AbortController();
    const waiter = wait({ waitTime: 60, signal: abort.signal });
    waiter.resolve('the grant');
    waiter.resolve('another');
    waiter.refuse(new Error('refused'));
    abort.abort();
    expect(await waiter.outcome).toBe('the grant');
    vi.advanceTimersByTime(80);
    await endOfTurn();
    expect(quit).not.toHaveBeenCalled();
    expect(timeUp).not.toHaveBeenCalled();
  });

  test('leaves when its time is over, and rejects with the reason', async () => {
    const waiter = wait({ waitTime: 60 });
    vi.advanceTimersByTime(59);
    await endOfTurn();
    expect(quit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    await expect(waiter.outcome).rejects.toThrow('time is up');
    expect(quit).toHaveBeenCalledExactlyOnceWith(waiter);
    expect(waiter.waited).toBe(61);
    waiter.resolve('too late');
    expect(quit).toHaveBeenCalledOnce();
  });

  test("leaves with the signal's reason when that is aborted, and listens to it no longer", async () => {
    const abort = new AbortController();
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    const waiter = wait({ waitTime: 60_000, signal: abort.signal });
    abort.abort('enough');
    await expect(waiter.outcome).rejects.toBe('enough');
    expect(quit).toHaveBeenCalledExactlyOnceWith(waiter);
    expect(removed).toHaveBeenCalledOnce();
  });

  test('leaves once when it is refused', async () => {
    const waiter = wait();
    const no = new Error('no');
    waiter.refuse(no);
    waiter.refuse(new Error('no again'));
    await expect(waiter.outcome).rejects.toBe(no);
    expect(quit).toHaveBeenCalledOnce();
  });

  test('is granted what arrived while the event loop was blocked beyond its time', async () => {
    const waiter = wait({ waitTime: 60 });
    // Node runs its timers first, then reads what has arrived meanwhile, and runs what setImmediate keeps at the end.
    vi.advanceTimersByTime(100);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    waiter.resolve('read after the stall');
    expect(await waiter.outcome).toBe('read after the stall');
    await endOfTurn();
    expect(timeUp).not.toHaveBeenCalled();
  });

  test('warns once when it waits for long, and not when it is granted before that', async () => {
    const patient = wait();
    patient.warnAfter(60);
    const lucky = wait();
    lucky.warnAfter(60);
    const silent = wait();
    silent.warnAfter(Infinity);
    lucky.resolve('a');
    silent.resolve('b');
    vi.advanceTimersByTime(200);
    patient.resolve('c');
    expect(warn).toHaveBeenCalledExactlyOnceWith(patient);
  });
});
