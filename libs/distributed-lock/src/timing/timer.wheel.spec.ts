import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BucketHeap } from './bucket.heap.js';
import { now } from './monotonic.clock.js';
import { TimerWheel } from './timer.wheel.js';

const DAY = 24 * 3_600_000;

describe('the timer wheel', () => {
  let order: BucketHeap;
  let wheel: TimerWheel;
  let ran: string[];
  const note = (what: string) => () => void ran.push(what);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    order = new BucketHeap();
    wheel = new TimerWheel(order);
    ran = [];
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test('runs what is due, in order of time, whatever the order of setting', () => {
    for (const delay of [30, 10, 20, 5, 25]) wheel.after(delay, note(`${delay}`));
    vi.advanceTimersByTime(15);
    expect(ran).toEqual(['5', '10']);
    vi.advanceTimersByTime(100);
    expect(ran).toEqual(['5', '10', '20', '25', '30']);
    expect(wheel.size).toBe(0);
  });

  test('runs those of one ms in the order of setting, and never too early', () => {
    const at = now() + 10.3;
    wheel.at(at, note('a'));
    wheel.at(at + 0.2, note('b'));
    vi.advanceTimersByTime(10);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['a', 'b']);
  });

  test('runs what is overdue at the next turn, not at once', () => {
    wheel.at(now() - 100, note('late'));
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['late']);
  });

  test('uses one Node timer however many wait', () => {
    const timers = Array.from({ length: 1000 }, (_, index) => wheel.after(index, note(`${index}`)));
    expect(vi.getTimerCount()).toBe(1);
    expect(wheel.size).toBe(1000);
    for (const timer of timers) wheel.cancel(timer);
    expect(wheel.size).toBe(0);
    vi.advanceTimersByTime(2000);
    expect(ran).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps the process alive while something waits, and no longer', () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const keepsAlive = () => set.mock.results.some(({ value }) => value.hasRef());
    const timer = wheel.after(1000, note('cancelled'));
    expect(keepsAlive()).toBe(true);
    wheel.cancel(timer);
    expect(keepsAlive()).toBe(false);
    wheel.after(2000, note('kept'));
    expect(keepsAlive()).toBe(true);
    expect(set).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1999);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['kept']);
  });

  test('has a timer run at the instant for which it was set last', () => {
    const timer = wheel.after(10, note('moved'));
    wheel.set(timer, now() + 30);
    vi.advanceTimersByTime(29);
    expect(ran).toEqual([]);
    expect(wheel.size).toBe(1);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['moved']);
    expect(timer.isSet).toBe(false);
  });

  test('leaves no Node timer when all have run', () => {
    wheel.after(5, note('a'));
    wheel.after(10, note('b'));
    vi.advanceTimersByTime(10);
    expect(ran).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not run what was cancelled, and cancels once only', () => {
    const timer = wheel.after(10, note('cancelled'));
    wheel.after(10, note('kept'));
    wheel.cancel(timer);
    wheel.cancel(timer);
    wheel.cancel(undefined);
    expect(wheel.size).toBe(1);
    vi.advanceTimersByTime(20);
    expect(ran).toEqual(['kept']);
    wheel.cancel(timer);
    expect(wheel.size).toBe(0);
  });

  test('does not run what another of the same ms has cancelled', () => {
    const at = now() + 10;
    wheel.at(at, () => {
      wheel.cancel(second);
      ran.push('first');
    });
    const second = wheel.at(at, note('second'));
    wheel.at(at, note('third'));
    vi.advanceTimersByTime(20);
    expect(ran).toEqual(['first', 'third']);
    expect(wheel.size).toBe(0);
  });

  test('does not run in the same pass what a callback sets for at once', () => {
    let rounds = 0;
    const again = () => {
      rounds += 1;
      wheel.at(now(), again);
    };
    wheel.at(now(), again);
    vi.advanceTimersToNextTimer();
    expect(rounds).toBe(1);
    vi.advanceTimersToNextTimer();
    expect(rounds).toBe(2);
  });

  test('runs what a callback sets, in its time', () => {
    wheel.after(10, () => wheel.after(10, note('inner')));
    wheel.after(15, note('between'));
    vi.advanceTimersByTime(25);
    expect(ran).toEqual(['between', 'inner']);
  });

  test('waits for an earlier one that is set later', () => {
    wheel.after(100, note('late'));
    wheel.after(10, note('early'));
    vi.advanceTimersByTime(10);
    expect(ran).toEqual(['early']);
  });

  test('takes delays that are longer than a Node timer can wait', () => {
    wheel.after(60 * DAY, note('in 60 days'));
    vi.advanceTimersByTime(59 * DAY);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(DAY);
    expect(ran).toEqual(['in 60 days']);
  });

  test('forgets long delays that are cancelled, though one timer always waits', () => {
    wheel.after(60 * DAY, note('stays'));
    for (let time = 0; time < 50_000; time += 1) wheel.cancel(wheel.after(3_600_000 + time, note('never')));
    expect(order.size).toBeLessThan(2000);
    wheel.after(10, note('works'));
    vi.advanceTimersByTime(10);
    expect(ran).toEqual(['works']);
  });

  test('runs what is set after another one of the same ms was cancelled', () => {
    const at = now() + 10;
    wheel.after(100, note('stays'));
    wheel.cancel(wheel.at(at, note('cancelled')));
    wheel.at(at, note('set anew'));
    vi.advanceTimersByTime(10);
    expect(ran).toEqual(['set anew']);
  });

  test('goes on under real timers after it was used under those of a test', async () => {
    wheel.cancel(wheel.after(10, note('faked')));
    vi.useRealTimers();
    await wheel.pause(50);
    expect(ran).toEqual([]);
  });

  test('runs callbacks outside of the async context that set them', () => {
    const scope = new AsyncLocalStorage<string>();
    let seen: string | undefined = 'not run';
    scope.run('a request', () => wheel.after(10, () => (seen = scope.getStore())));
    vi.advanceTimersByTime(10);
    expect(seen).toBeUndefined();
  });
});
