import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { ownRedis } from './own.redis.js';

describe('what Redis refuses', () => {
  const server = ownRedis();
  let services: Services;
  let one: LockService;
  let key: string;
  const lock = () => one.getLock('x');

  beforeEach(async () => {
    services = new Services(server().url);
    one = await services.open({ lockWatchdogTimeout: 1500 });
    key = one.settings.mapName('x');
  });
  afterEach(() => services.close());

  const wrongType = (type: string) => ({
    name: 'LockUnavailableError',
    code: 'WRONG_TYPE',
    lock: 'x',
    message: expect.stringContaining(`"${key}" is a ${type}`),
  });

  test.each([
    ['string', ['set', 'v']],
    ['list', ['rpush', 'v']],
    ['zset', ['zadd', '1', 'v']],
  ] as const)(
    'a key of another type is named with its type (%s), and left alone',
    async (type, [command, ...args]) => {
      await services.admin.call(command, key, ...args);
      const before = await services.admin.dump(key);
      const calls: (() => Promise<unknown>)[] = [
        () => lock().lock(),
        () => lock().lock({ waitTime: 0 }),
        () => lock().tryLock(),
        () => lock().tryLock({ waitTime: '5s', leaseTime: '1s' }),
        () => lock().using(() => 'ran'),
        () => lock().isLocked(),
        () => lock().remainTimeToLive(),
        () => lock().forceUnlock(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject(wrongType(type));
      expect(await services.admin.dump(key)).toEqual(before);
      await services.admin.del(key);
      expect(await lock().using(() => 'ran')).toBe('ran');
    },
  );

  test('a key of another type fails its own caller only', async () => {
    await services.admin.set(key, 'v');
    const names = ['a', 'x', 'b', 'c', 'x', 'd'];
    const ends = await Promise.all(
      names.map(async (name) => {
        try {
          return await (await one.getLock(name).tryLock())?.unlock();
        } catch {
          return 'refused';
        }
      }),
    );
    expect(ends).toEqual(['released', 'refused', 'released', 'released', 'refused', 'released']);
    await services.admin.del(key);
  });

  test('a key that was overwritten under its holder is not called released, and the holder stops believing', async () => {
    const held = await lock().lock();
    const { signal } = held;
    await services.admin.set(key, 'v');
    await expect(held.extend('5s')).rejects.toMatchObject({ lock: 'x' });
    await until('the signal is aborted', () => signal.aborted);
    expect(await held.unlock()).toBe('lost');
    const notices: string[] = [];
    one.engine.context.notices.listen(({ kind }) => notices.push(kind));
    for (let time = 0; time < 10; time += 1) {
      await services.admin.del(key);
      const next = await lock().lock();
      await services.admin.set(key, 'v');
      await expect(next.unlock()).rejects.toMatchObject(wrongType('string'));
    }
    expect(new Set(notices)).toEqual(new Set(['release-refused']));
    expect(await services.admin.get(key)).toBe('v');
    await services.admin.del(key);
  });

  test('a missing permission is named, and the lock is refused', async () => {
    await services.admin.acl('SETUSER', 'limited', 'on', '>pw', '~other*', '&*', '+@all');
    const service = await services.open({}, { port: server().port, username: 'limited', password: 'pw' });
    await expect(service.getLock('x').lock()).rejects.toMatchObject({
      name: 'LockUnavailableError',
      code: 'REJECTED_BY_REDIS',
      lock: 'x',
      message: expect.stringMatching(/NOPERM|permission/),
    });
    await expect(service.getLock('x').tryLock()).rejects.toMatchObject({ code: 'REJECTED_BY_REDIS' });
  });

  test('a message that may not be published does not keep a lock from being freed, and is logged', async () => {
    await services.admin.acl('SETUSER', 'mute', 'on', '>pw', '~*', 'resetchannels', '+@all');
    const source = { port: server().port, username: 'mute', password: 'pw' };
    const service = await services.open({}, source);
    const kinds: string[] = [];
    service.engine.context.notices.listen(({ kind }) => kinds.push(kind));
    const held = await service.getLock('x').lock();
    const waiting = one.getLock('x').lock();
    await until('it sleeps', async () => (await services.channels()).length > 0);
    expect(await held.unlock()).toBe('released');
    expect(kinds).toEqual(['unpublished']);
    await (await waiting).unlock();
  });

  test('a subscription that is not allowed makes a waiter wait for the lease, not for ever', async () => {
    await services.admin.acl('SETUSER', 'deaf', 'on', '>pw', '~*', 'resetchannels', '+@all');
    const source = { port: server().port, username: 'deaf', password: 'pw' };
    const service = await services.open({ lockWatchdogTimeout: 600 }, source);
    const held = await lock().lock();
    const waiting = service.getLock('x').lock({ waitTime: '5s' });
    // Its question goes before these on the same connection, and finds the lock held.
    for (let turn = 0; turn < 3; turn += 1) expect(await service.getLock('x').isLocked()).toBe(true);
    await held.unlock();
    await (await waiting).unlock();
  });

  describe.each([
    // After its first refusal the connection is made anew, and not used: it is no master's.
    [
      'a demoted master',
      'replicaof',
      ['127.0.0.1', '1'],
      ['NO', 'ONE'],
      'UNAVAILABLE',
      /no connection|replica/,
    ],
    [
      'a server out of memory',
      'config',
      ['SET', 'maxmemory', '1'],
      ['SET', 'maxmemory', '0'],
      'REJECTED_BY_REDIS',
      /OOM/,
    ],
  ] as const)("%s's refusal", (_who, command, begin, end, code, why) => {
    const later = { code, message: expect.stringMatching(why) };

    afterEach(async () => {
      await services.admin.call(command, ...end);
    });

    test('is waited out, not reported as busy', async () => {
      await services.admin.call(command, ...begin);
      await expect(lock().tryLock()).rejects.toMatchObject({ code: 'REJECTED_BY_REDIS' });
      await expect(lock().tryLock({ waitTime: 200 })).rejects.toMatchObject(later);
      const waiting: Promise<LockHandle> = lock().lock({ waitTime: '5s' });
      await expect(lock().lock({ waitTime: 200 })).rejects.toMatchObject(later);
      await services.admin.call(command, ...end);
      expect(await (await waiting).unlock()).toBe('released');
    });
  });
});
