import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundLock } from '../../libs/distributed-lock/src/contracts/fleet.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(() => services.close());

/** All locks, page by page. */
async function all(locks: LockService, prefix = '', limit = 100): Promise<FoundLock[]> {
  const found: FoundLock[] = [];
  for (let from: string | undefined, isFirst = true; isFirst || from !== undefined; isFirst = false) {
    const page = await locks.fleet.locks({ prefix, limit, from });
    found.push(...page.locks);
    from = page.next;
  }
  return found;
}

describe('fleet.locks()', { timeout: scaled(30_000) }, () => {
  test('finds each kind, with its holders and its waiters', async () => {
    const [one, other] = [await services.open(), await services.open()];
    const held = [
      await one.getLock('plain').lock(),
      await one.getFencedLock('fenced').lock(),
      await one.getFairLock('fair').lock(),
      await one.getReadWriteLock('read').readLock().lock(),
      await one.getReadWriteLock('write').writeLock().lock(),
    ];
    await one.getSemaphore('semaphore').trySetPermits(2);
    const waiting = ['plain', 'fair'].map((name) =>
      (name === 'fair' ? other.getFairLock(name) : other.getLock(name)).lock({ waitTime: '20s' }),
    );
    await until('both wait', async () => {
      const found = await all(one);
      return ['plain', 'fair'].every((name) => found.find((lock) => lock.name === name)?.waiting === 1);
    });
    const found = await all(one);
    const at = (index: number) => [{ holder: held[index]?.holder, count: 1, instance: undefined }];
    const none = { left: undefined, waiters: [], waiting: 0 };
    const byOther = [{ holder: expect.stringContaining(other.engine.context.ids.client), count: 1 }];
    expect(found).toMatchObject([
      { name: 'fair', kind: 'fair lock', holders: at(2), waiters: byOther, waiting: 1 },
      { name: 'fenced', kind: 'fenced lock', holders: at(1), ...none },
      { name: 'plain', kind: 'lock', holders: at(0), waiters: byOther, waiting: 1 },
      { name: 'read', kind: 'read lock', holders: at(3), ...none },
      {
        name: 'semaphore',
        kind: 'semaphore or latch',
        holders: [],
        left: 2,
        ttl: -1,
        waiters: [],
        waiting: 0,
      },
      { name: 'write', kind: 'write lock', holders: at(4), ...none },
    ]);
    const leases = found.filter(({ left }) => left === undefined).map(({ ttl }) => ttl);
    expect(Math.min(...leases)).toBeGreaterThan(20_000);
    expect(await one.fleet.lock('fair')).toMatchObject({ name: 'fair', kind: 'fair lock', waiting: 1 });
    expect(await one.fleet.lock('none')).toBeUndefined();
    for (const handle of held) await handle.unlock();
    for (const handle of await Promise.all(waiting)) await handle.unlock();
    expect((await all(one)).map(({ name }) => name)).toEqual(['semaphore']);
    await services.admin.del(await services.keys());
  });

  test('has what only the instances know: callers beside the holder, and the holders of permits', async () => {
    const reporting = { instanceInfo: true, appName: 'shop' };
    const [one, other] = [await services.open(reporting), await services.open()];
    const held = await one.getLock('busy').lock();
    const waiting = [1, 2].map(() => one.getLock('busy').lock({ waitTime: '20s' }));
    await one.getPermitExpirableSemaphore('desks').trySetPermits(3);
    const permits = [
      await one.getPermitExpirableSemaphore('desks').acquire(),
      await one.getPermitExpirableSemaphore('desks').acquire(),
    ];
    await until('it reports', async () => (await other.fleet.instances()).length > 0, 6000);
    const instance = { app: 'shop', id: one.engine.context.ids.client };
    expect(await all(other)).toMatchObject([
      {
        name: 'busy',
        kind: 'lock',
        holders: [{ holder: held.holder, instance }],
        waiters: [{ count: 2, instance }],
      },
      { name: 'desks', kind: 'semaphore', left: 1, holders: [{ count: 2, instance }], waiters: [] },
    ]);
    for (const permit of permits) await permit.unlock();
    await held.unlock();
    for (const handle of waiting) await (await handle).unlock();
    await services.admin.del((await services.keys()).filter((key) => key.includes('desks')));
  });

  test('has the processes that wait for a permit, in the order of their queue, and counts those at a semaphore and a latch', async () => {
    const [one, first, second] = [await services.open(), await services.open(), await services.open()];
    await one.getPermitExpirableSemaphore('desks').trySetPermits(1);
    await one.getSemaphore('plain').trySetPermits(1);
    await one.getSemaphore('plain').acquire();
    await one.getCountDownLatch('latch').trySetCount(1);
    const permit = await one.getPermitExpirableSemaphore('desks').acquire();
    const clients = [first, second].map((locks) => locks.engine.context.ids.client);
    const abort = new AbortController();
    const { signal } = abort;
    const waits: Promise<unknown>[] = [];
    for (const [index, locks] of [first, second].entries()) {
      waits.push(locks.getPermitExpirableSemaphore('desks').acquire({ signal }));
      waits.push(
        locks.getSemaphore('plain').acquire(1, { signal }),
        locks.getCountDownLatch('latch').await({ signal }),
      );
      await until(`${index + 1} wait`, async () => (await one.fleet.lock('desks'))?.waiting === index + 1);
    }
    const ended = Promise.allSettled(waits);
    expect(await one.fleet.lock('desks')).toMatchObject({
      kind: 'semaphore',
      left: 0,
      waiters: clients.map((holder) => ({ holder, count: 1 })),
      waiting: 2,
    });
    for (const name of ['plain', 'latch'])
      await until(`both wait for ${name}`, async () => (await one.fleet.lock(name))?.waiting === 2);
    abort.abort();
    await ended;
    await permit.unlock();
    await until('none waits', async () => (await one.fleet.lock('desks'))?.waiting === 0);
    await services.admin.del(await services.keys());
  });

  test('takes a prefix as text, and not as a pattern', async () => {
    const locks = await services.open();
    const names = ['a*b', 'a[x]b', 'a?b', 'axb', 'a\\b', '{a}:b', 'größe'];
    const held = await Promise.all(names.map((name) => locks.getLock(name).lock()));
    for (const name of names) expect((await all(locks, name)).map((lock) => lock.name)).toEqual([name]);
    expect(await all(locks, 'a*c')).toEqual([]);
    await Promise.all(held.map((handle) => handle.unlock()));
  });

  test.each([
    [{ prefix: 7 }, 'prefix'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ from: '' }, 'from'],
    [{ from: '7' }, 'from'],
    [{ from: '0.0; FLUSHALL' }, 'from'],
    [{ count: 5 }, 'count'],
    ['a', 'fleet.locks()'],
  ])('refuses %j', async (options, named) => {
    const locks = await services.open();
    await expect(Reflect.apply(locks.fleet.locks, locks.fleet, [options])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(named),
    });
  });

  test.each(['', 7, 'a\0b', 'n'.repeat(1025)])('refuses the name %j', async (name) => {
    const locks = await services.open();
    await expect(Reflect.apply(locks.fleet.lock, locks.fleet, [name])).rejects.toMatchObject({
      code: 'INVALID_NAME',
    });
  });

  test('is refused aloud where the user may not SCAN, and locks go on', async () => {
    const { admin } = services;
    const user = `scanless-${process.pid}`;
    await admin.acl('SETUSER', user, 'on', '>pw', '~*', '&*', '+@all', '-scan');
    try {
      const url = new URL(String(services.source));
      url.username = user;
      url.password = 'pw';
      const locks = await services.open({}, url.href);
      await expect(locks.fleet.locks()).rejects.toMatchObject({
        code: 'REJECTED_BY_REDIS',
        message: expect.not.stringContaining('pw@'),
      });
      expect(await (await locks.getLock('a').lock()).unlock()).toBe('released');
    } finally {
      await admin.acl('DELUSER', user);
    }
  });
});
