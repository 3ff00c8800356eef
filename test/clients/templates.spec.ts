import { inspect } from 'node:util';
import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { ownRedis } from '../locks/own.redis.js';
import { RedisView } from '../locks/redis.view.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { exercise } from './lock.exercise.js';

const server = ownRedis();
let services: Services;
let view: RedisView;
let clients: Redis[];
beforeEach(() => {
  services = new Services(server().url);
  view = new RedisView(server().url);
  clients = [];
});
afterEach(async () => {
  view.close();
  await services.close();
  for (const client of clients) client.disconnect();
});

const place = (): Omit<RedisOptions, 'replyMapping'> => ({ host: '127.0.0.1', port: server().port });

function keep<T extends Redis>(client: T): T {
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

async function expectToWork(source: RedisSource): Promise<void> {
  const [one, other] = [await services.open({}, source), await services.open({}, source)];
  await exercise(one, other, {
    flush: () => services.admin.script('FLUSH'),
    kill: () => services.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes'),
  });
}

/** The client as the application sees it: its options to any depth, and how many listen to what. */
function stateOf(client: Redis | Cluster): string {
  const listeners = client.eventNames().map((name) => [String(name), client.listenerCount(name)]);
  const own = Object.getOwnPropertyNames(client).toSorted();
  return inspect([client.options, client.status, listeners, own], { depth: 20, showHidden: true });
}

describe('a client that serves as a template', () => {
  test('is the same after it, to the depth of its options and to its listeners', async () => {
    const client = keep(new Redis({ ...place(), natMap: {}, connectionName: 'mine' }));
    await client.ping();
    const before = stateOf(client);
    await expectToWork(client);
    expect(stateOf(client)).toBe(before);
    const cluster = new Cluster([place()], { lazyConnect: true, redisOptions: { db: 0 } });
    const unused = stateOf(cluster);
    const opening = services.open({ commandTimeout: 100 }, cluster);
    await (await opening).shutDown();
    expect(stateOf(cluster)).toBe(unused);
  });

  test('may be in subscriber mode, closed, or one that monitors', async () => {
    // First: ioredis fails when a command of others arrives together with the answer to its MONITOR.
    const monitor = keep(await keep(new Redis(place())).monitor());
    // Its connection is killed below, as all that subscribe: ioredis would subscribe again by itself, and leave a failure of that unhandled.
    const subscriber = keep(new Redis({ ...place(), autoResubscribe: false }));
    await subscriber.subscribe('news');
    await expectToWork(subscriber);
    const closed = keep(new Redis(place()));
    await closed.quit();
    await expectToWork(closed);
    await expectToWork(monitor);
  });

  test('may have got its options by hand', async () => {
    const client = keep(new Redis({ ...place(), lazyConnect: true, connectionName: 'before' }));
    client.options.connectionName = 'after';
    const service = await services.open({}, client);
    await service.getLock('x').using(() => undefined);
    expect(await view.connections('after')).toContain('after:commands');
  });

  test('may be of a subclass, which decides by duplicate() what its copies are', async () => {
    const names: string[] = [];
    class Plain extends Redis {
      override connect(): Promise<void> {
        names.push('plain');
        return super.connect();
      }
    }
    class Token extends Redis {
      override connect(): Promise<void> {
        names.push('token');
        return super.connect();
      }
      override duplicate(override?: Partial<RedisOptions>): Redis {
        const { replyMapping: _, ...options } = { ...this.options, ...override };
        return new Token(options);
      }
    }
    await expectToWork(keep(new Plain({ ...place(), lazyConnect: true })));
    expect(names).toEqual([]);
    await expectToWork(keep(new Token({ ...place(), lazyConnect: true })));
    expect(names.length).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['is the client itself', (client: Redis) => client],
    [
      'connects by itself',
      (client: Redis) => keep(new Redis({ ...client.options, replyMapping: 'legacy', lazyConnect: false })),
    ],
    [
      'queues commands',
      (client: Redis) => keep(new Redis({ ...client.options, replyMapping: 'legacy', lazyConnect: true })),
    ],
    ['is no client', (): Redis => Object.create(null)],
  ])('is refused when what its duplicate() makes %s', async (_, duplicate) => {
    const client = keep(new Redis({ ...place(), lazyConnect: true }));
    client.duplicate = () => duplicate(client);
    const opening = services.open({}, client);
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(opening).rejects.toThrow(/duplicate\(\)/);
    await until(
      'nothing of it is open',
      async () => (await view.connections('distributed-lock')).length === 0,
    );
    expect(client.status).toBe('wait');
  });
});

test('transformers that the application sets for all clients do not reach the scripts', async () => {
  const asked: unknown[] = [];
  for (const name of ['evalsha', 'eval']) {
    Command.setArgumentTransformer(name, (args) => {
      asked.push(args);
      throw new Error('an argument transformer');
    });
    Command.setReplyTransformer(name, (reply: unknown) => {
      asked.push(reply);
      return { reply };
    });
  }
  try {
    await expectToWork(server().url);
    expect(asked).toEqual([]);
  } finally {
    const transformers: Record<string, Record<string, unknown>> = Reflect.get(Command, '_transformer');
    for (const kind of Object.values(transformers)) {
      delete kind['evalsha'];
      delete kind['eval'];
    }
  }
});
