import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from '../support/until.js';
import { failureOf, type PortStage } from './port.stage.js';

/** For so long nothing may follow, in ms: a client connects again in a tenth of it. */
const QUIET = 300;

/** A demand of the contract of `client-port/client.port.ts`. */
export interface PortCheck {
  readonly title: string;
  readonly run: (stage: PortStage) => Promise<void>;
}

/** The whole contract, for one server. */
export const PORT_CHECKS: readonly PortCheck[] = [
  {
    title: 'connects on connect(), and not before',
    run: async ({ client, events, proxy, lifecycle }) => {
      await sleep(20);
      expect([client.status, proxy.accepted]).toEqual(['wait', 0]);
      await lifecycle.untilReady(3000);
      expect(events).toEqual(['connect', 'ready']);
    },
  },
  {
    title: 'has the same replies by RESP2 and RESP3',
    run: async (stage) => {
      await stage.connect();
      const { client, template } = stage;
      const script =
        "return { 1, 'ü', false, { 'a', { 2 } }, redis.call('HGETALL', KEYS[1]), { ok = 'fine' } }";
      await stage.view.redis.hset(stage.name, 'field', 'value');
      const reply = await template.sendScript(client, 'eval', [script, '1', stage.name]);
      expect(reply).toEqual([1, 'ü', null, ['a', [2]], ['field', 'value'], 'fine']);
      expect(typeof (await client.info('server'))).toBe('string');
      expect(await client.ping()).toBe('PONG');
      expect(await client.call('ECHO', 'any command')).toBe('any command');
      expect(await client.wait(0, 1)).toBe(0);
    },
  },
  {
    title: 'rejects a command that Redis refuses, with the reply and its code',
    run: async (stage) => {
      await stage.connect();
      const script = "return redis.call('LPUSH', KEYS[1], 'x')";
      await stage.view.redis.set(stage.name, 'text');
      const { kind, code, message } = await failureOf(
        stage.template.sendScript(stage.client, 'eval', [script, '1', stage.name]),
      );
      expect([kind, code]).toEqual(['refused', 'WRONGTYPE']);
      expect(message).toContain('WRONGTYPE');
      const unknown = ['0'.repeat(40), '0'];
      expect(await failureOf(stage.template.sendScript(stage.client, 'evalsha', unknown))).toMatchObject({
        kind: 'refused',
        code: 'NOSCRIPT',
      });
    },
  },
  {
    title: 'rejects a command at once while there is no connection, and never sends it',
    run: async (stage) => {
      expect(await failureOf(stage.count())).toMatchObject({ kind: 'unsent' });
      await stage.connect();
      stage.proxy.refuse();
      await stage.unready();
      const asked = performance.now();
      expect(await failureOf(stage.count())).toMatchObject({ kind: 'unsent' });
      expect(performance.now() - asked).toBeLessThan(QUIET);
      stage.proxy.restore();
      await stage.reconnected();
      await sleep(QUIET);
      expect(await stage.counted()).toBe(0);
    },
  },
  {
    title: 'never sends a command again whose connection broke before Redis had it',
    run: async (stage) => {
      await stage.connect();
      stage.proxy.judge(({ name }) => (name === 'EVAL' ? 'cut' : 'pass'));
      const failure = await failureOf(stage.count());
      stage.proxy.judge(() => 'pass');
      expect(failure).toMatchObject({ kind: 'ambiguous' });
      await stage.reconnected();
      await sleep(QUIET);
      expect(await stage.counted()).toBe(0);
    },
  },
  {
    title: 'never sends a command again whose reply was lost',
    run: async (stage) => {
      await stage.connect();
      stage.proxy.judge(({ name }) => (name === 'EVAL' ? { answered: () => 'cut' } : 'pass'));
      const failure = await failureOf(stage.count());
      stage.proxy.judge(() => 'pass');
      expect(failure).toMatchObject({ kind: 'ambiguous' });
      await stage.reconnected();
      await sleep(QUIET);
      expect(await stage.counted()).toBe(1);
    },
  },
  {
    title: 'has no deadline for a command',
    run: async (stage) => {
      await stage.connect();
      let answer: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      stage.proxy.judge(({ name }) => (name === 'EVAL' ? { answered: () => held } : 'pass'));
      const counting = stage.count();
      await sleep(2 * QUIET);
      answer();
      expect(await counting).toBe(1);
    },
  },
  {
    title: 'reports each loss, and connects again',
    run: async (stage) => {
      await stage.connect();
      stage.proxy.cut();
      await stage.unready();
      await stage.reconnected();
      expect(stage.events).toEqual(['connect', 'ready', 'close', 'connect', 'ready']);
      expect(await stage.count()).toBe(1);
    },
  },
  {
    title: 'goes on connecting while nothing answers, and names the reason',
    run: async (stage) => {
      stage.proxy.refuse();
      stage.lifecycle.start();
      await until('it has tried', () => stage.events.filter((event) => event === 'close').length > 2);
      expect(stage.why).not.toBe('');
      stage.proxy.restore();
      await stage.reconnected();
    },
  },
  {
    title: 'delivers the messages of its channels, and of no other',
    run: async (stage) => {
      await stage.connect();
      const { client, name, view } = stage;
      const received: string[] = [];
      client.on('message', (channel, message) => received.push(`${channel} ${message}`));
      await client.subscribe(name, `${name}:2`);
      await view.redis.publish(name, 'one');
      await view.redis.publish(`${name}:2`, 'two');
      await until('both have come', () => received.length === 2);
      expect(received.toSorted()).toEqual([`${name} one`, `${name}:2 two`].toSorted());
      await client.unsubscribe(`${name}:2`);
      await stage.listeners(`${name}:2`, 0);
      await client.subscribe(`${name}:2`);
      await stage.listeners(`${name}:2`);
      await client.unsubscribe(name, `${name}:2`);
    },
  },
  {
    title: 'has a subscription that was begun while its end was under way',
    run: async (stage) => {
      await stage.connect();
      const { client, name } = stage;
      await client.subscribe(name);
      await Promise.all([client.unsubscribe(name), client.subscribe(name)]);
      await stage.listeners(name);
      await client.unsubscribe(name);
    },
  },
  {
    title: 'delivers the messages of sharded channels by an event of their own',
    run: async (stage) => {
      await stage.connect();
      const { client, name, view } = stage;
      const received: string[] = [];
      client.on('smessage', (channel, message) => received.push(`${channel} ${message}`));
      await client.ssubscribe(name);
      await view.redis.spublish(name, 'one');
      await until('it has come', () => received.length === 1);
      expect(received).toEqual([`${name} one`]);
      await client.sunsubscribe(name);
    },
  },
  {
    title: 'ends its subscriptions with the connection',
    run: async (stage) => {
      await stage.connect();
      await stage.client.subscribe(stage.name);
      stage.proxy.cut();
      await stage.unready();
      await stage.reconnected();
      await sleep(QUIET);
      await stage.listeners(stage.name, 0);
    },
  },
  {
    title: 'lets its user subscribe again after a loss',
    run: async (stage) => {
      const subscriber = stage.subscriber();
      const reported: string[] = [];
      subscriber.listen({
        message: (_, message) => reported.push(message),
        disconnected: () => reported.push('disconnected'),
        resubscribed: () => reported.push('resubscribed'),
      });
      await stage.connect();
      await subscriber.subscribe(stage.name);
      stage.proxy.cut();
      await until('it is subscribed again', () => reported.includes('resubscribed'));
      await stage.view.redis.publish(stage.name, 'later');
      await until('the message has come', () => reported.includes('later'));
      expect(reported).toEqual(['disconnected', 'resubscribed', 'later']);
      await subscriber.close();
    },
  },
  {
    title: 'makes a new connection on disconnect(true)',
    run: async (stage) => {
      await stage.connect();
      const { accepted } = stage.proxy;
      stage.client.disconnect(true);
      await until('a new one is there', () => stage.proxy.accepted > accepted);
      await stage.reconnected();
      expect(await stage.count()).toBe(1);
    },
  },
  {
    title: 'gives up a connection that does not answer its handshake',
    run: async (stage) => {
      stage.proxy.blackHole();
      stage.lifecycle.start();
      await until('it is connected', () => stage.events.includes('connect'));
      stage.lifecycle.restart();
      stage.proxy.restore();
      await stage.reconnected();
    },
  },
  {
    title: 'ends when it is closed, and rejects what has no answer',
    run: async (stage) => {
      await stage.connect();
      stage.proxy.judge(({ name }) =>
        name === 'EVAL' ? { answered: () => new Promise(() => undefined) } : 'pass',
      );
      const unanswered = failureOf(stage.count());
      await sleep(20);
      await stage.lifecycle.close();
      expect((await unanswered).kind).toBe('ambiguous');
      expect(await failureOf(stage.client.ping())).toBeDefined();
      await sleep(QUIET);
      expect([stage.client.status, stage.proxy.connections, stage.wheel.size]).toEqual(['end', 0, 0]);
    },
  },
];
