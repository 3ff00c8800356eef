import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import { SubscriberConnection } from './subscriber.connection.js';

class Client extends EventEmitter {
  readonly subscribed: string[][] = [];
  subscribe = (...channels: string[]): Promise<unknown> => {
    this.subscribed.push(channels);
    return Promise.resolve(channels.length);
  };
}

// Version 5 of ioredis writes SUBSCRIBE in the middle of a handshake, whose next question fails then.
test('a channel is subscribed when the connection is ready, and not in its handshake', async () => {
  const client = new Client();
  const listeners: (() => void)[] = [];
  const lifecycle = {
    client,
    isReady: false,
    start: () => undefined,
    close: () => Promise.resolve(),
    onReady: (listener: () => void) => void listeners.push(listener),
  };
  const connection = new SubscriberConnection({
    lifecycle: lifecycle as unknown as ClientLifecycle,
    wheel: new TimerWheel(),
    stallTimeout: 1000,
    stalled: () => undefined,
  });
  const resubscribed: string[] = [];
  connection.listen({
    message: () => undefined,
    disconnected: () => undefined,
    resubscribed: (channel) => void resubscribed.push(channel),
  });
  await expect(connection.subscribe('x')).rejects.toMatchObject({ kind: 'unsent' });
  expect(client.subscribed).toEqual([]);
  lifecycle.isReady = true;
  for (const ready of listeners) ready();
  await new Promise((resolve) => void setImmediate(resolve));
  expect([client.subscribed, resubscribed]).toEqual([[['x']], ['x']]);
  await connection.close();
});

// Sharded channels of two slots have a command each: the first may be acknowledged long before the second one fails.
test('what was acknowledged before the connection closed does not count', async () => {
  const client = new EventEmitter();
  const commands: { readonly acknowledge: () => void; readonly fail: () => void }[] = [];
  const ssubscribe = () =>
    new Promise<void>((resolve, reject) => {
      commands.push({ acknowledge: resolve, fail: () => reject(new Error('Connection is closed.')) });
    });
  const lifecycle = {
    client: Object.assign(client, { ssubscribe }),
    isReady: true,
    start: () => undefined,
    close: () => Promise.resolve(),
    onReady: () => undefined,
  };
  const connection = new SubscriberConnection({
    lifecycle: lifecycle as unknown as ClientLifecycle,
    wheel: new TimerWheel(),
    stallTimeout: 1000,
    stalled: () => undefined,
    isSharded: true,
  });
  const subscriptions = Promise.allSettled([connection.subscribe('{a}'), connection.subscribe('{b}')]);
  await new Promise((resolve) => void setImmediate(resolve));
  const [first, second] = commands;
  first?.acknowledge();
  await new Promise((resolve) => void setImmediate(resolve));
  client.emit('close');
  second?.fail();
  expect((await subscriptions).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await connection.close();
});
