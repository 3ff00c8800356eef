import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import { WaiterQueue } from './waiter.queue.js';
import { Waiter, type WaiterOwner, type WaitRequest } from './waiter.js';

const REQUEST = { leaseTime: undefined, waitTime: Infinity, signal: undefined, nested: false };

describe('the queue of waiters', () => {
  const wheel = new TimerWheel();
  let queue: WaiterQueue<string>;
  let waiters: Waiter<string>[];
  beforeEach(() => {
    queue = new WaiterQueue();
    waiters = Array.from({ length: 5 }, () => {
      const waiter = new Waiter<string>(REQUEST, wheel, keeper);
      queue.push(waiter);
      return waiter;
    });
  });
  afterEach(() => {
    if (wheel.size > 0) throw new Error(`${wheel.size} timers are left`);
  });

  const keeper: WaiterOwner<string, WaitRequest> = {
    quit: (gone) => queue.remove(gone),
    timeoutError: () => new Error('time is up'),
    warn: () => undefined,
  };
  const order = () => queue.snapshot().map((waiter) => waiters.indexOf(waiter));
  const shift = () => {
    const { first } = queue;
    if (first !== undefined) queue.remove(first);
    return first;
  };
  const remove = (index: number) => {
    const waiter = waiters[index];
    if (waiter !== undefined) queue.remove(waiter);
  };

  test('returns the waiters in the order of their arrival', () => {
    expect(order()).toEqual([0, 1, 2, 3, 4]);
    expect(queue.first).toBe(waiters[0]);
    const shifted = waiters.map(() => shift());
    expect(shifted).toEqual(waiters);
    expect([shift(), queue.first, queue.size]).toEqual([undefined, undefined, 0]);
  });

  test.each([
    [[2], [0, 1, 3, 4]],
    [[0], [1, 2, 3, 4]],
    [[4], [0, 1, 2, 3]],
    [
      [1, 2, 3],
      [0, 4],
    ],
    [
      [0, 4],
      [1, 2, 3],
    ],
    [[4, 3, 2, 1, 0], []],
  ])('keeps its order when %j leave', (leaving, staying) => {
    leaving.forEach(remove);
    expect(order()).toEqual(staying);
    expect(queue.size).toBe(staying.length);
    expect(queue.first).toBe(waiters[staying[0] ?? -1]);
  });

  test('counts right when a waiter leaves twice, or was never in it', () => {
    remove(1);
    remove(1);
    const stranger = new Waiter<string>(REQUEST, wheel, keeper);
    queue.remove(stranger);
    expect(queue.size).toBe(4);
    shift();
    remove(0);
    expect(order()).toEqual([2, 3, 4]);
    expect(queue.size).toBe(3);
  });

  test('takes a waiter that left back at its end', () => {
    remove(0);
    const [back] = waiters;
    if (back !== undefined) queue.push(back);
    expect(order()).toEqual([1, 2, 3, 4, 0]);
  });

  test('can lose waiters while a snapshot of it is read', () => {
    for (const waiter of queue.snapshot()) waiter.refuse(new Error('refused'));
    for (const waiter of waiters) waiter.outcome.catch(() => undefined);
    expect(queue.size).toBe(0);
  });

  test('is empty after its only waiter has left', () => {
    [1, 2, 3, 4].forEach(remove);
    remove(0);
    expect([queue.size, queue.first]).toEqual([0, undefined]);
    const [again] = waiters;
    if (again !== undefined) queue.push(again);
    expect(order()).toEqual([0]);
  });
});
