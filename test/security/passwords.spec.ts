import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

const HOST = '127.0.0.1';
const SECRET = 'swordfish-7f3a';
const RIGHT = 'open-sesame-51c9';

/** All that anybody could read: lines of logs and of the console, notices, errors with all that hangs on them. */
class Ears {
  readonly #heard: string[] = [];

  listen(): void {
    const hear = (...values: unknown[]) =>
      void this.#heard.push(values.map((value) => whole(value)).join(' '));
    for (const level of ['error', 'warn', 'log', 'debug', 'verbose', 'fatal'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(hear);
    for (const level of ['error', 'warn', 'log', 'info', 'debug', 'trace'] as const)
      vi.spyOn(console, level).mockImplementation(hear);
  }

  listenTo(service: LockService): void {
    service.engine.context.notices.listen((notice) => this.hear(notice));
  }

  /** @returns what was heard */
  hear(value: unknown): string {
    const heard = whole(value);
    this.#heard.push(heard);
    return heard;
  }

  get all(): string {
    return this.#heard.join('\n');
  }
}

function whole(value: unknown): string {
  const parts = [inspect(value, { depth: 12, showHidden: true, maxStringLength: null }), String(value)];
  if (value instanceof Error) parts.push(value.stack ?? '', JSON.stringify(value));
  return parts.join('\n');
}

describe('a password is in no log, no error and no notice', () => {
  let ears: Ears;
  let server: RunningRedis;
  let closed: number;
  let admin: Redis;
  beforeAll(async () => {
    [server, closed] = await Promise.all([startRedis({ args: ['--requirepass', RIGHT] }), findFreePort()]);
    admin = new Redis({ host: HOST, port: server.port, password: RIGHT });
    await admin.acl('SETUSER', 'app', 'on', `>${RIGHT}`, '~*', '&*', '+@all');
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    ears = new Ears();
    ears.listen();
  });
  const expectNone = () => {
    expect(ears.all).not.toContain(SECRET);
    expect(ears.all).not.toContain(RIGHT);
    expect(ears.all).not.toContain(encodeURIComponent(SECRET));
  };

  const settings = readSettings({ shutdownTimeout: 100, lockWatchdogTimeout: 900, commandTimeout: 400 });

  /** Opens, and asks for everything that can be refused. */
  async function provoke(source: RedisSource, quorum: readonly RedisSource[] = []): Promise<string> {
    const told: string[] = [];
    let service: LockService | undefined;
    try {
      service = await openLockService(settings, source, quorum);
      ears.listenTo(service);
      const { engine } = service;
      const calls = [
        service.getLock('x').lock({ waitTime: 300 }),
        service.getFairLock('y').tryLock(),
        service.getSemaphore('z').addPermits(1),
        service.runOnce('job', 1000, () => 'run'),
        service.getRuns('job'),
        service.getLock('x').forceUnlock(),
      ];
      for (const result of await Promise.allSettled(calls))
        told.push(ears.hear(result.status === 'rejected' ? result.reason : typeof result.value));
      told.push(ears.hear(engine.context.settings));
    } catch (error) {
      told.push(ears.hear(error));
    } finally {
      await service?.shutDown();
    }
    return told.join('\n');
  }

  const port = () => server.port;
  const cluster = (at: number, lazyConnect = true) => {
    const clusterRetryStrategy = () => 50;
    const template = new Cluster([{ host: HOST, port: at }], {
      redisOptions: { password: SECRET },
      lazyConnect,
      clusterRetryStrategy,
    });
    template.on('error', () => undefined);
    return template;
  };
  const lazy = { lazyConnect: true } as const;
  const sources: readonly (readonly [string, () => RedisSource, RegExp])[] = [
    ['a wrong one', () => ({ host: HOST, port: port(), password: SECRET, ...lazy }), /WRONGPASS/],
    [
      'a wrong one of a user',
      () => ({ host: HOST, port: port(), username: 'app', password: SECRET, ...lazy }),
      /WRONGPASS/,
    ],
    ['a wrong one in a URL', () => `redis://app:${SECRET}@${HOST}:${port()}?lazyConnect=true`, /WRONGPASS/],
    [
      'a wrong one in the query of a URL',
      () => `redis://${HOST}:${port()}?password=${SECRET}&lazyConnect=true`,
      /WRONGPASS/,
    ],
    [
      'a client with a wrong one',
      () => new Redis({ host: HOST, port: port(), password: SECRET, ...lazy }),
      /WRONGPASS/,
    ],
    ['none where one is needed', () => ({ host: HOST, port: port(), ...lazy }), /NOAUTH/],
    [
      'one for nobody there',
      () => `redis://app:${SECRET}@${HOST}:${closed}?lazyConnect=true`,
      /ECONNREFUSED/,
    ],
    [
      'those of a master and of sentinels that are not there',
      () => ({
        sentinels: [{ host: HOST, port: closed }],
        name: 'm',
        password: SECRET,
        sentinelPassword: SECRET,
        ...lazy,
      }),
      /sentinel/i,
    ],
    [
      'a wrong one of sentinels',
      () => ({ sentinels: [{ host: HOST, port: port() }], name: 'm', sentinelPassword: SECRET, ...lazy }),
      /sentinel/i,
    ],
    [
      'a passphrase',
      () => ({ host: HOST, port: port(), tls: { key: 'no key', passphrase: SECRET }, ...lazy }),
      /PEM|key|no connection/i,
    ],
    ['a wrong one at boot', () => `redis://app:${SECRET}@${HOST}:${port()}`, /could not be reached within/],
    ['a wrong one of a cluster', () => cluster(port()), /UNAVAILABLE/],
    ['one of a cluster that is not there', () => cluster(closed), /UNAVAILABLE/],
    ['a wrong one of a cluster at boot', () => cluster(port(), false), /could not be reached within/],
    ['one that is no URL', () => `redis://app:${SECRET}@${HOST}:port`, /INVALID_OPTION/],
    [
      'one with a # that is not escaped',
      () => `redis://app:51#${SECRET}@${HOST}:${closed}`,
      /INVALID_OPTION/,
    ],
    [
      'one with a / that is not escaped',
      () => `redis://app:51/${SECRET}@${HOST}:${closed}`,
      /INVALID_OPTION/,
    ],
    ['one with a slash too few', () => `redis:/app:${SECRET}@${HOST}:${closed}`, /INVALID_OPTION/],
    ['one without slashes', () => `redis:app:${SECRET}@${HOST}:${closed}`, /INVALID_OPTION/],
  ];

  test(
    'whatever is wrong when a lock is requested, or when the application starts',
    async () => {
      const check = async ([what, source, told]: (typeof sources)[number]): Promise<void> => {
        const template = source();
        const heard = await provoke(template);
        if (template instanceof Redis || template instanceof Cluster) template.disconnect();
        expect(heard, what).toMatch(told);
      };
      const bad = (name: string) => `redis://${name}:${SECRET}@${HOST}:${port()}`;
      const quorum = provoke(`redis://:${RIGHT}@${HOST}:${port()}`, [bad('a'), bad('b'), bad('c')]);
      await Promise.all(sources.map(check));
      expect(await quorum).toMatch(/0 of the 3 servers of redLock are reachable/);
      expectNone();
    },
    scaled(20_000),
  );

  test('but ioredis itself reveals one, and this test finds it', async () => {
    const client = new Redis({ host: HOST, port: port(), password: 'a third one', retryStrategy: null });
    const error = await new Promise((resolve) => {
      client.once('error', resolve);
    });
    client.disconnect();
    expect(whole(error)).toContain('a third one');
  });

  test('one that has been changed while a lock is held, waited for and renewed', async () => {
    const url = `redis://app:${RIGHT}@${HOST}:${port()}`;
    const [one, other] = await Promise.all([openLockService(settings, url), openLockService(settings, url)]);
    for (const service of [one, other]) ears.listenTo(service);
    const held = await one.getLock('x').lock();
    const waiting = other
      .getLock('x')
      .lock({ waitTime: 1500 })
      .catch((error: unknown) => ears.hear(error));
    await admin.acl('SETUSER', 'app', `<${RIGHT}`, '>another');
    await admin.client('KILL', 'USER', 'app');
    await until('the lease is over', () => !held.isHeld);
    ears.hear(held.signal.reason);
    await waiting;
    ears.hear(
      await one
        .getLock('x')
        .tryLock()
        .catch((error: unknown) => error),
    );
    ears.hear(await held.unlock());
    await Promise.all([one.shutDown(), other.shutDown()]);
    await admin.acl('SETUSER', 'app', `>${RIGHT}`);
    expect(ears.all).toMatch(/WRONGPASS/);
    expectNone();
  });
});
