import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HolderIds } from '../core/holder.ids.js';
import type { LockTarget } from '../core/lock.target.js';
import { ChannelSubscriptions } from '../redis/channel.subscriptions.js';
import type { SubscriberListener } from '../redis/subscriber.contract.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { IdReserves, type ReservedId } from './id.reserve.js';

/** A subscriber whose channels are acknowledged at once. */
class Channels {
  readonly open = new Set<string>();
  readonly untilReady = () => Promise.resolve();
  readonly restart = () => undefined;
  readonly close = () => Promise.resolve();
  listener: SubscriberListener | undefined;

  listen(listener: SubscriberListener): void {
    this.listener = listener;
  }

  subscribe(channel: string): Promise<void> {
    this.open.add(channel);
    return Promise.resolve();
  }

  unsubscribe(channel: string): void {
    this.open.delete(channel);
  }
}

describe('the ids of waiters to come', () => {
  let channels: Channels;
  let reserves: IdReserves;
  let target: LockTarget;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    channels = new Channels();
    reserves = new IdReserves({
      subscriptions: new ChannelSubscriptions(channels),
      wheel: new TimerWheel(),
    });
    const kind = { holderIds: new HolderIds('client') };
    target = { id: 'lock', channel: 'channel', kind } as unknown as LockTarget;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Callers begin to wait. */
  async function wait(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) reserves.noteWait(target);
    await Promise.resolve().then(() => undefined);
  }

  /** So many callers waited, one of them was granted the lock, and comes again. */
  async function waitAgain(callers: number): Promise<void> {
    await wait(callers - 1);
    reserves.noteEnd(target);
    await wait(1);
  }

  /** What is unsubscribed is so in a later turn. */
  const settle = () => new Promise(setImmediate);

  function take(): ReservedId {
    const id = reserves.take(target);
    if (id === undefined) throw new Error('no id is reserved');
    return id;
  }

  test('are none for a burst of callers', async () => {
    await wait(30);
    expect(reserves.take(target)).toBeUndefined();
    expect(reserves.unused(target)).toEqual([]);
    expect(channels.open.size).toBe(0);
  });

  test.each([2, 4, 16])('are as many as have waited, when the first of %i comes again', async (callers) => {
    await waitAgain(callers);
    const numbers = Array.from({ length: callers }, (_, index) => index + 1);
    expect([...channels.open]).toEqual(numbers.map((number) => `channel:client:${number}`));
    expect(reserves.unused(target)).toEqual(numbers.map((number) => `client:${number}`));
  });

  test('are 16 of many', async () => {
    await waitAgain(100);
    expect(channels.open.size).toBe(16);
  });

  test('are used in their order, each once, and the next ones are subscribed before they are used up', async () => {
    await waitAgain(16);
    const taken: string[] = [];
    for (let time = 0; time < 40; time += 1) {
      taken.push(take().holder);
      expect(reserves.unused(target)).not.toContain(taken.at(-1));
      await wait(1);
    }
    expect(taken).toEqual(taken.map((_, index) => `client:${index + 1}`));
    expect(channels.open.size).toBeLessThanOrEqual(40 + 20);
  });

  test('are not used while their channel is not subscribed, and no more are reserved', async () => {
    await waitAgain(2);
    channels.listener?.disconnected('channel:client:1');
    expect(take().holder).toBe('client:2');
    expect(reserves.take(target)).toBeUndefined();
    await wait(5);
    expect(channels.open.size).toBe(2);
    channels.listener?.resubscribed('channel:client:1');
    expect(take().holder).toBe('client:1');
  });

  test('have the messages that came before their waiter listens', async () => {
    await waitAgain(4);
    channels.listener?.message('channel:client:1', 'before its request');
    const id = take();
    const received: (string | undefined)[] = [];
    channels.listener?.message('channel:client:1', '0');
    channels.listener?.disconnected('channel:client:1');
    id.listen((payload) => received.push(payload));
    channels.listener?.message('channel:client:1', '1');
    expect(received).toEqual(['0', undefined, '1']);
    id.end();
    channels.listener?.message('channel:client:1', '0');
    expect(received).toHaveLength(3);
  });

  test('are unsubscribed together, when 16 of them are over', async () => {
    await waitAgain(16);
    const ids: ReservedId[] = [];
    for (let time = 0; time < 16; time += 1) {
      ids.push(take());
      await wait(1);
    }
    const isOpen = () => ids.map(({ holder }) => channels.open.has(`channel:${holder}`));
    for (const id of ids.slice(1)) id.end();
    await settle();
    expect(isOpen()).not.toContain(false);
    for (const id of ids) id.end();
    await settle();
    expect(isOpen()).not.toContain(true);
  });

  test('are unsubscribed 100 ms after the last one that waits, and those in use once they are over', async () => {
    await waitAgain(4);
    const id = take();
    vi.advanceTimersByTime(90);
    await wait(1);
    vi.advanceTimersByTime(90);
    expect(channels.open.size).toBeGreaterThan(4);
    vi.advanceTimersByTime(20);
    await settle();
    expect([...channels.open]).toEqual(['channel:client:1']);
    expect(reserves.take(target)).toBeUndefined();
    id.end();
    await settle();
    expect(channels.open.size).toBe(0);
  });
});
