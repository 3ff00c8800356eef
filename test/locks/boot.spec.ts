import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import {
  DistributedLockError,
  LockUnavailableError,
} from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { ownRedis } from './own.redis.js';

/** Everything that an error says, to a person or to a log that digs. */
function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.entries(error).map(([key, value]) => `${key}=${String(value)}`);
  return [error.message, error.stack, ...own, everythingOf(error.cause)].join('\n');
}

/** What this process holds open, beside what the test runner always has. */
const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP'));

describe('a Redis that cannot be reached at boot', () => {
  const server = ownRedis({ args: ['--requirepass', 'another'] });
  let services: Services;
  beforeEach(() => {
    services = new Services(inject('redisUrl'));
  });
  afterEach(() => services.close());

  const boot = async (source: RedisSource): Promise<unknown> =>
    services.open({}, source).then(
      () => 'it booted',
      (error: unknown) => error,
    );

  test('is an error that names address and reason, but no password, and leaves nothing behind', async () => {
    const port = await findFreePort();
    const client = new Redis({ host: '127.0.0.1', port, password: 's3cret', retryStrategy: () => null });
    client.on('error', () => undefined);
    const refusing = server().port;
    const cases: readonly (readonly [source: RedisSource, address: string, reason: string])[] = [
      [`redis://somebody:s3cret@127.0.0.1:${port}/0`, `127.0.0.1:${port}`, 'ECONNREFUSED'],
      [{ host: '127.0.0.1', port, password: 's3cret' }, `127.0.0.1:${port}`, 'ECONNREFUSED'],
      [client, `127.0.0.1:${port}`, 'ECONNREFUSED'],
      [{ port: refusing, password: 's3cret' }, `localhost:${refusing}`, 'WRONGPASS'],
      [{ port: refusing }, `localhost:${refusing}`, 'NOAUTH'],
    ];
    const before = sockets();
    const start = performance.now();
    const errors = await Promise.all(cases.map(([source]) => boot(source)));
    expect(performance.now() - start).toBeLessThan(5000 + scaled(1000));
    for (const [index, [, address, reason]] of cases.entries()) {
      const error = errors[index];
      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', lock: undefined });
      const said = everythingOf(error);
      const remedy = reason === 'ECONNREFUSED' ? 'lazyConnect' : 'in the option redis';
      for (const part of [address, reason, remedy]) expect(said).toContain(part);
      expect(said).not.toContain('s3cret');
    }
    await until('their sockets are closed', () => sockets().length <= before.length);
  });

  test.each(['redis://:s3cret@no such host:1', 'redis://u:s3cret@[::1', 'redis://u:s3cret@host:99999'])(
    'is an error without the password when the URL cannot be read (%#)',
    async (url) => {
      const error = await boot(url);
      expect(error).toBeInstanceOf(DistributedLockError);
      expect(everythingOf(error)).not.toContain('s3cret');
    },
  );

  test('is connected to later with lazyConnect, and calls are refused until then', async () => {
    const port = await findFreePort();
    const url = `redis://127.0.0.1:${port}?lazyConnect=true`;
    for (const source of [url, { host: '127.0.0.1', port, lazyConnect: true }]) {
      const service = await services.open({ commandTimeout: 200 }, source);
      const lock = service.getLock('x');
      const start = performance.now();
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE', lock: 'x' });
      await expect(lock.lock({ waitTime: 100 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(lock.isLocked()).rejects.toBeInstanceOf(LockUnavailableError);
      expect(performance.now() - start).toBeLessThan(500 + scaled(150));
      const waiting = lock.lock();
      const late = await startRedis({ port });
      const held = await waiting;
      expect(await held.unlock()).toBe('released');
      await service.shutDown();
      await late.stop();
    }
  });
});
