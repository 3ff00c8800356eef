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
