import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownRedis } from '../locks/own.redis.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

const server = ownRedis();
let services: Services;
let admin: Redis;
beforeEach(() => {
  services = new Services(server().url);
  admin = services.admin;
});
afterEach(() => services.close());

describe('fleet.locks() on a server of its own', { timeout: scaled(60_000) }, () => {
  test('gives pages of bounded steps, also of a Redis with many other keys', async () => {
    const locks = await services.open();
    const other = services.admin.pipeline();
    for (let at = 0; at < 20_000; at += 1) other.set(`${services.prefix}other:${at}`, 'no lock');
    await other.exec();
    const names = Array.from({ length: 300 }, (_, at) => `order:${at}`);
    const held = await Promise.all(names.map((name) => locks.getLock(name).lock()));
    const pages: number[] = [];
    const found = new Set<string>();
    for (let from: string | undefined = '0.0'; from !== undefined;) {
      const page: Awaited<ReturnType<typeof locks.fleet.locks>> = await locks.fleet.locks({
        prefix: 'order:',
        limit: 50,
        from,
      });
      pages.push(page.locks.length);
      for (const { name } of page.locks) found.add(name);
      from = page.next;
    }
    expect(found).toEqual(new Set(names));
    expect(pages.length).toBeGreaterThan(1);
    await Promise.all(held.map((handle) => handle.unlock()));
    const keys = await services.keys();
    for (let at = 0; at < keys.length; at += 5000) await services.admin.del(keys.slice(at, at + 5000));
  });

  test('reads nothing of a large string or hash that is no lock, and leaves both out', async () => {
    const locks = await services.open();
    const size = 1_000_000;
    await admin.set(`${services.prefix}page`, 'x'.repeat(size));
    const fields = Array.from({ length: 5000 }, (_, at): [string, string] => [
      `visitor:${at}`,
      'y'.repeat(200),
    ]);
    await admin.hset(`${services.prefix}session`, Object.fromEntries(fields));
    await locks.getSemaphore('permits').trySetPermits(3);
    const held = await locks.getReadWriteLock('file').writeLock().lock();
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await admin.info('stats'))?.[1]);
    const before = await sent();
    const { locks: found } = await locks.fleet.locks();
    expect((await sent()) - before).toBeLessThan(size / 10);
    expect(found.map(({ name }) => name)).toEqual(['file', 'permits']);
    for (const name of ['page', 'session']) expect(await locks.fleet.lock(name)).toBeUndefined();
    expect((await sent()) - before).toBeLessThan(size / 10);
    await held.unlock();
    await admin.del(await services.keys());
  });

  test('closes its connection when it was not used for a while, and at the shutdown', async () => {
    const locks = await services.open();
    const clients = async () => {
      const list = String(await admin.client('LIST'));
      return list.split('\n').filter((line) => line !== '').length;
    };
    const before = await clients();
    await locks.fleet.locks();
    expect(await clients()).toBe(before + 1);
    await locks.fleet.locks();
    expect(await clients()).toBe(before + 1);
    await until('it is closed', async () => (await clients()) === before, 20_000);
    await locks.fleet.locks();
    await locks.shutDown();
    await expect(locks.fleet.locks()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await expect(locks.fleet.lock('a')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await until('all are closed', async () => (await clients()) < before);
  });
});
