import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi, type Mock } from 'vitest';
import { FakeClient } from '../../../../test/support/fake.client.js';
import { IoredisTrouble } from '../ioredis-client/ioredis.trouble.js';
import { ClientLifecycle } from './client.lifecycle.js';
import { SubscriberConnection } from './subscriber.connection.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { ChannelSubscriptions, type Listener, type Subscription } from './channel.subscriptions.js';

/** Lets what is promised already happen. */
const settle = () => new Promise(setImmediate);

describe('the subscriptions of a service', () => {
  let wheel: TimerWheel;
  let client: FakeClient;
  let subscriptions: ChannelSubscriptions;
  beforeEach(() => {
    wheel = new TimerWheel();
    client = new FakeClient();
    const lifecycle = new ClientLifecycle({ client, trouble: new IoredisTrouble() }, wheel, 3000);
    subscriptions = new ChannelSubscriptions(
      new SubscriberConnection({ lifecycle, wheel, stallTimeout: 3000, stalled: () => undefined }),
    );
    client.ready();
  });
  afterEach(() => {
    client.disconnect();
  });

  const subscribed = () => client.take('subscribe').map(({ args }) => args);
  const left = () => client.take('unsubscribe').map(({ args }) => args);
  /** Hears a channel. */
  const listen = (channel: string): [Subscription, Mock<Listener>] => {
    const listener = vi.fn<Listener>();
    return [subscriptions.subscribe(channel, listener), listener];
  };
  async function answer(): Promise<void> {
    await settle();
    for (const command of client.take('subscribe')) command.answer();
    for (const command of client.take('unsubscribe')) command.answer();
    await settle();
  }

  test('subscribe to a channel once, however many listeners it has', async () => {
    const [one] = listen('a');
    const [other] = listen('a');
    await settle();
    expect(subscribed()).toEqual([['a']]);
    one.release();
    expect(left()).toEqual([]);
    other.release();
    expect(subscriptions.size).toBe(0);
    expect(left()).toEqual([]);
    await settle();
    expect(left()).toEqual([['a']]);
  });

  test('share a command with those that are subscribed at the same moment, and end with them', async () => {
    const [one] = listen('a');
    const [other] = listen('b');
    await settle();
    expect(subscribed()).toEqual([['a', 'b']]);
    one.release();
    other.release();
    await settle();
    expect(left()).toEqual([['a', 'b']]);
  });

  test('are requested one by one where one of them is forbidden, but for those that have ended', async () => {
    const [one] = listen('a');
    const [other] = listen('b');
    const [third] = listen('c');
    await settle();
    third.release();
    await settle();
    const forbidden = Object.assign(new Error('NOPERM of b'), { name: 'ReplyError' });
    for (const command of client.take('subscribe')) command.fail(forbidden);
    await settle();
    const alone = client.take('subscribe');
    expect(alone.map(({ args }) => args)).toEqual([['a'], ['b']]);
    alone[0]?.answer();
    alone[1]?.fail(forbidden);
    await settle();
    expect([one.isActive, other.isActive]).toEqual([true, false]);
  });

  test('are active from the answer of Redis on', async () => {
    const [one] = listen('a');
    expect([one.isActive, subscriptions.isActive('a')]).toEqual([false, false]);
    await answer();
    await one.acknowledged;
    expect([one.isActive, subscriptions.isActive('a')]).toEqual([true, true]);
    one.release();
    // Until Redis has received the command, its messages reach this process.
    expect(subscriptions.isActive('a')).toBe(true);
    await settle();
    expect(subscriptions.isActive('a')).toBe(false);
    await answer();
    expect(wheel.size).toBe(0);
  });

  test('pass a message to all listeners of its channel, and to no others', async () => {
    const [, one] = listen('a');
    const [, other] = listen('a');
    const [, stranger] = listen('b');
    await answer();
    client.message('a', '0');
    client.message('c', '1');
    expect(one.mock.calls).toEqual([['0']]);
    expect(other.mock.calls).toEqual([['0']]);
    expect(stranger.mock.calls).toEqual([]);
  });

  test('pass nothing to a listener that has left, and one that leaves twice removes no other', async () => {
    const [one, received] = listen('a');
    const [, staying] = listen('a');
    await answer();
    one.release();
    one.release();
    client.message('a', '0');
    expect(received).not.toHaveBeenCalled();
    expect(staying).toHaveBeenCalledOnce();
    expect(left()).toEqual([]);
  });

  test('are ended outside of the async scope of the last listener', async () => {
    const scope = new AsyncLocalStorage<string>();
    const seen = vi.spyOn(client, 'unsubscribe').mockImplementation(async () => scope.getStore());
    const [one] = listen('a');
    scope.run('of a caller', () => one.release());
    await settle();
    expect(seen).toHaveBeenCalledOnce();
    expect(await seen.mock.results[0]?.value).toBe(undefined);
  });

  test('stay for a listener that comes in the turn in which the last one left', async () => {
    const [one, former] = listen('a');
    await answer();
    one.release();
    const [again, received] = listen('a');
    await settle();
    expect([subscribed(), left(), again.isActive]).toEqual([[], [], true]);
    one.release();
    client.message('a', '0');
    expect([former.mock.calls.length, received.mock.calls.length]).toEqual([0, 1]);
    again.release();
    again.release();
    await settle();
    expect(left()).toEqual([['a']]);
  });

  test('survive that one leaves before the answer, and another one comes', async () => {
    const [one] = listen('a');
    await settle();
    one.release();
    await settle();
    const [again, received] = listen('a');
    await settle();
    expect([subscribed(), left()]).toEqual([[['a'], ['a']], [['a']]]);
    one.release();
    await settle();
    expect(left()).toEqual([]);
    client.message('a', '0');
    expect(received).toHaveBeenCalledOnce();
    again.release();
    await settle();
    expect(left()).toEqual([['a']]);
  });

  test('are made anew after a reconnect, and everybody is woken once', async () => {
    const [one, received] = listen('a');
    const [, other] = listen('b');
    await answer();
    client.cut();
    expect(one.isActive).toBe(false);
    client.ready();
    expect(subscribed()).toEqual([['a', 'b']]);
    expect(received).not.toHaveBeenCalled();
    client.cut();
    client.ready();
    await answer();
    expect(received.mock.calls).toEqual([[undefined]]);
    expect(other.mock.calls).toEqual([[undefined]]);
    expect(one.isActive).toBe(true);
  });

  test('are reported as lost, at once, to each user that asked for it', async () => {
    const [, received] = listen('a');
    const onDisconnected = vi.fn<() => void>();
    subscriptions.subscribe('a', () => undefined, onDisconnected);
    await answer();
    client.cut();
    expect(onDisconnected).toHaveBeenCalledOnce();
    expect(received).not.toHaveBeenCalled();
  });

  test('without listeners are not made anew', async () => {
    const [one] = listen('a');
    const [two, received] = listen('b');
    await answer();
    client.cut();
    one.release();
    await settle();
    client.ready();
    expect(subscribed()).toEqual([['b']]);
    client.cut();
    two.release();
    await settle();
    client.ready();
    expect([subscribed(), received.mock.calls.length]).toEqual([[], 0]);
  });

  test('requested while the connection is away are made when it is back', async () => {
    client.cut();
    const [one, received] = listen('a');
    await settle();
    for (const command of client.take('subscribe')) command.fail(new Error('no connection'));
    await one.acknowledged;
    expect(one.isActive).toBe(false);
    client.ready();
    await answer();
    expect(one.isActive).toBe(true);
    expect(received.mock.calls).toEqual([[undefined]]);
  });

  test('that Redis refuses do not keep the others from being made', async () => {
    listen('forbidden');
    const [allowed] = listen('a');
    await answer();
    client.cut();
    client.ready();
    const [all] = client.take('subscribe');
    const refusal = Object.assign(new Error('NOPERM no'), { name: 'ReplyError' });
    all?.fail(refusal);
    await settle();
    const each = client.take('subscribe');
    expect(each.map(({ args }) => args)).toEqual([['forbidden'], ['a']]);
    each[0]?.fail(refusal);
    each[1]?.answer();
    await settle();
    expect(allowed.isActive).toBe(true);
    expect(subscriptions.isActive('forbidden')).toBe(false);
  });
});
