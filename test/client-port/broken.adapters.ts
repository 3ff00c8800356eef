import { EventEmitter } from 'node:events';
import type { NodePort } from '../../libs/distributed-lock/src/client-port/client.port.js';
import type { ClientTemplate } from '../../libs/distributed-lock/src/redis-source/client.template.js';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';

/** Makes an adapter that has one defect of another one. */
export type Break = (template: ClientTemplate) => ClientTemplate;

/** Sends a command again on the next connection when its connection broke, as ioredis does by default. */
export const resending: Break = (template) => ({
  ...template,
  sendScript: async (client, how, words) => {
    try {
      return await template.sendScript(client, how, words);
    } catch (error) {
      if (RedisFailure.from(error).kind !== 'ambiguous') throw error;
      void untilReady(client as NodePort).then(() => template.sendScript(client, how, words));
      throw error;
    }
  },
});

/** Keeps a command until there is a connection. */
export const queueing: Break = (template) => ({
  ...template,
  sendScript: async (client, how, words) => {
    await untilReady(client as NodePort);
    return await template.sendScript(client, how, words);
  },
});

/** Connects again without a report, so that its subscriptions are lost. */
export const silent: Break = (template) => ({
  ...template,
  open: (...parts) => {
    const { client, trouble } = template.open(...parts);
    const events = new EventEmitter();
    let wasReady = false;
    for (const event of ['connect', 'close', 'end', 'error', 'message', 'smessage'])
      client.on(event, (...values) => {
        if (!wasReady || event.endsWith('message') || event === 'end') events.emit(event, ...values);
      });
    client.on('ready', () => {
      if (!wasReady) events.emit('ready');
      wasReady = true;
    });
    const reported = { on: events.on.bind(events), once: events.once.bind(events) };
    return { client: new Proxy(client, { get: (_, name) => memberOf(client, reported, name) }), trouble };
  },
});

function memberOf(client: NodePort, reported: object, name: string | symbol): unknown {
  const own: unknown = Reflect.get(reported, name);
  if (own !== undefined) return own;
  const value: unknown = Reflect.get(client, name);
  return typeof value === 'function' ? value.bind(client) : value;
}

function untilReady(client: NodePort): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve) => client.once('ready', resolve));
}
