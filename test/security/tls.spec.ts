import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodePort } from '../../libs/distributed-lock/src/client-port/client.port.js';
import { readTemplate } from '../../libs/distributed-lock/src/connections/template.loader.js';
import { errorText } from '../../libs/distributed-lock/src/errors/error.text.js';
import { readFactory } from '../../libs/distributed-lock/src/ioredis-client/client.factory.js';
import type {
  IoredisSource,
  RedisSource,
} from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { Authority, type Certificate } from './certificates.js';

const HOST = '127.0.0.1';
const PASSWORD = 'tell-nobody-of-this';

/** Two servers with certificates of one authority: one for the address that it has, one for somebody else's. */
interface Scene {
  readonly authority: Authority;
  readonly stranger: Authority;
  readonly client: Certificate;
  readonly right: TlsRedis;
  readonly wrong: TlsRedis;
}

interface TlsRedis {
  readonly server: RunningRedis;
  readonly port: number;
}

/** @returns undefined where there is no openssl, or the Redis was built without TLS */
async function setScene(): Promise<Scene | undefined> {
  try {
    const [authority, stranger] = await Promise.all([Authority.create(), Authority.create()]);
    const start = async (name: string, whom: string): Promise<TlsRedis> => {
      const { certificateFile, keyFile } = await authority.certify(name, whom);
      const port = await findFreePort();
      const server = await startRedis({
        args: [
          ...['--tls-port', `${port}`, '--tls-cert-file', certificateFile, '--tls-key-file', keyFile],
          ...['--tls-ca-cert-file', authority.own.certificateFile, '--tls-auth-clients', 'optional'],
          ...['--requirepass', PASSWORD],
        ],
      });
      return { server, port };
    };
    const right = await start('right', `IP:${HOST}`);
    const wrong = await start('wrong', 'DNS:elsewhere.test');
    return {
      authority,
      stranger,
      right,
      wrong,
      client: await authority.certify('client', 'DNS:client.test'),
    };
  } catch {
    return undefined;
  }
}

const scene = await setScene();

describe.skipIf(scene === undefined)('over TLS', { concurrent: true }, () => {
  const { authority, stranger, client, right, wrong } = scene ?? ({} as Scene);
  let admin: Redis;
  beforeAll(() => {
    Logger.overrideLogger(false);
    admin = new Redis({ host: HOST, port: right.server.port, password: PASSWORD });
  });
  afterAll(async () => {
    admin.disconnect();
    await Promise.all([right.server.stop(), wrong.server.stop(), authority.remove(), stranger.remove()]);
  });

  const open = async (source: RedisSource): Promise<LockService> =>
    await openLockService(readSettings({ shutdownTimeout: 200 }), source);
  const at = ({ port }: { readonly port: number }) => ({ host: HOST, port, password: PASSWORD });

  /** Where the library's connections are. */
  async function ports(): Promise<string[]> {
    const list = String(await admin.client('LIST'));
    return [...list.matchAll(/laddr=\S+:(\d+) .*name=distributed-lock:\w+ /g)].map(([, port = '']) => port);
  }

  const ca = authority?.own.certificate ?? '';
  test.each<[string, () => RedisSource]>([
    ['options', () => ({ ...at(right), tls: { ca } })],
    [
      'options with a certificate of its own',
      () => ({ ...at(right), tls: { ca, cert: client.certificate, key: client.key } }),
    ],
    [
      'a client',
      () => new Redis(`rediss://:${PASSWORD}@${HOST}:${right.port}`, { tls: { ca }, lazyConnect: true }),
    ],
    [
      'a client of node-redis',
      () => createClient({ password: PASSWORD, socket: { host: HOST, port: right.port, tls: true, ca } }),
    ],
  ])('locks are taken, waited for and freed, commands and messages both, by %s', async (what, source) => {
    const [one, other] = await Promise.all([open(source()), open(source())]);
    try {
      const held = await one.getLock(what).lock();
      const waiting = other.getLock(what).lock({ waitTime: '20s' });
      const channel = `redisson_lock__channel:{lock:${what}}`;
      await until('somebody listens', async () => Number((await admin.pubsub('NUMSUB', channel))[1]) === 1);
      // A message wakes the waiter: the lease has 30 s yet.
      expect(await held.unlock()).toBe('released');
      expect(await (await waiting).unlock()).toBe('released');
      expect(new Set(await ports())).toEqual(new Set([`${right.port}`]));
    } finally {
      await Promise.all([one.shutDown(), other.shutDown()]);
    }
  });

  const refused: [string, () => RedisOptions, RegExp][] = [
    ['an authority that nobody told it of', () => ({ ...at(right), tls: {} }), /certificate/],
    ['another authority', () => ({ ...at(right), tls: { ca: stranger.own.certificate } }), /certificate/],
    ['a certificate for another host', () => ({ ...at(wrong), tls: { ca } }), /certificate's altnames/],
    ['a server that does not speak TLS', () => ({ ...at(right.server), tls: { ca } }), /no connection/],
    ['no TLS on this side', () => at(right), /no connection/],
  ];

  test(
    'a server without a valid certificate is refused at boot, with the reason',
    async () => {
      const opening = open(`rediss://:${PASSWORD}@${HOST}:${right.port}`);
      const refusal = await opening.catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE' });
      expect(String(refusal)).toMatch(/certificate/);
      expect(inspect(refusal)).not.toContain(PASSWORD);
    },
    scaled(15_000),
  );

  test('a lock is refused, with the reason, and nothing runs, because of any of these', async () => {
    const check = async ([what, source, reason]: (typeof refused)[number]): Promise<void> => {
      const service = await open({ ...source(), lazyConnect: true });
      try {
        let ran = false;
        const asked = service.getLock(what).using(() => (ran = true), { waitTime: 0 });
        const refusal = await asked.catch((error: unknown) => error);
        expect(refusal, what).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE' });
        expect(String(refusal), what).toMatch(reason);
        expect(inspect(refusal), what).not.toContain(PASSWORD);
        expect(ran, what).toBe(false);
      } finally {
        await service.shutDown();
      }
    };
    await Promise.all(refused.map(check));
  });

  const sentinels = [{ host: HOST, port: right?.port }];
  const node = (): Omit<RedisOptions, 'replyMapping'> => ({ ...at(right), tls: {} });
  const refusing: [string, () => RedisSource][] = [
    ['a URL', () => `rediss://:${PASSWORD}@${HOST}:${right.port}`],
    ['options', node],
    ['a client', () => new Redis({ ...node(), lazyConnect: true })],
    ['sentinels', () => ({ sentinels, name: 'locks', sentinelTLS: {}, sentinelRetryStrategy: () => null })],
    ['a cluster', () => new Cluster([at(right)], { redisOptions: { tls: {} }, lazyConnect: true })],
    ['a node of a cluster', () => new Cluster([node()], { lazyConnect: true })],
    ['the URL of a node', () => new Cluster([`rediss://${HOST}:${right.port}`], { lazyConnect: true })],
  ];

  test(
    'no error is uncaught when a connection is closed while the certificate is refused',
    async () => {
      const uncaught: unknown[] = [];
      const reasons: string[] = [];
      process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
      try {
        const byNodeRedis = await readTemplate(
          createClient({ password: PASSWORD, socket: { host: HOST, port: right.port, tls: true } }),
        );
        const makers: [string, () => Pick<NodePort, 'on' | 'connect' | 'disconnect'>][] = [
          ...refusing.map(([what, source]): (typeof makers)[number] => {
            const factory = readFactory(source() as IoredisSource);
            return [what, () => factory.create('commands')];
          }),
          ['a client of node-redis', () => byNodeRedis.open('commands', new TimerWheel()).client],
        ];
        for (const [what, make] of makers) {
          // The server answers the end with an alert, which must meet the refusal: one of eight does, or more.
          for (let round = 0; round < 60; round += 1) {
            const made = make();
            made.on('error', (error) => reasons.push(`${what}: ${errorText(error)}`));
            made.connect().catch(() => undefined);
            await sleep((round % 12) * 0.7);
            made.disconnect();
          }
        }
        await sleep(200);
      } finally {
        process.setUncaughtExceptionCaptureCallback(null);
      }
      expect(uncaught.map(String)).toEqual([]);
      expect(reasons.filter((reason) => reason.includes('certificate')).length).toBeGreaterThan(10);
    },
    scaled(30_000),
  );

  test(
    'nothing is sent in plain text, and no password, to a client without a certificate, however often it tries',
    async () => {
      const heard: Buffer[] = [];
      const thief = createServer((socket) => {
        socket.once('data', (data) => {
          heard.push(data);
          socket.destroy();
        });
        socket.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => {
        thief.listen(0, HOST, resolve);
      });
      try {
        const port = (thief.address() as AddressInfo).port;
        const service = await open({ ...at({ port }), tls: { ca }, lazyConnect: true });
        await expect(service.getLock('x').lock({ waitTime: 1500 })).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
        await service.shutDown();
      } finally {
        thief.close();
      }
      expect(heard.length).toBeGreaterThan(3);
      // 22: a record of a TLS handshake.
      expect(new Set(heard.map((data) => data[0]))).toEqual(new Set([22]));
      expect(Buffer.concat(heard).includes(PASSWORD)).toBe(false);
    },
    scaled(15_000),
  );
});
