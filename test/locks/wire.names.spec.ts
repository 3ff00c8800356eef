import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { RedisView } from './redis.view.js';

describe('the names of a lock in Redis', () => {
  let services: Services;
  let view: RedisView;
  beforeEach(() => {
    services = new Services();
    view = new RedisView();
  });
  afterEach(async () => {
    view.close();
    await services.close();
  });

  /** Lets two services contend for `name`: the key and the channel must be the given ones, for both. */
  async function expectNames(
    name: string,
    key: string,
    channel: string,
    options: LockModuleSettings,
    source: ConstructorParameters<typeof Services>[0] = services.source,
  ): Promise<void> {
    const [one, other] = await Promise.all([services.open(options, source), services.open(options, source)]);
    const held = await one.getLock(name).lock();
    expect(held.name).toBe(name);
    expect(await view.redis.hgetall(key)).toEqual({ [held.holder]: '1' });
    const waiting = other.getLock(name).lock({ waitTime: '5s' });
    await until(`somebody listens to ${channel}`, async () => {
      const answer = await view.redis.pubsub('NUMSUB', channel);
      return answer[1] === 1;
    });
    const unlocked = performance.now();
    await held.unlock();
    const granted = await waiting;
    expect(performance.now() - unlocked).toBeLessThan(2000);
    await granted.unlock();
    expect(await view.redis.exists(key)).toBe(0);
  }

  test.each([
    ['a', 'a', 'redisson_lock__channel:{a}'],
    ['{t}:n', '{t}:n', 'redisson_lock__channel:{t}:n'],
    ['a{b', 'a{b', 'redisson_lock__channel:a{b'],
    ['x}y', 'x}y', 'redisson_lock__channel:{x}y}'],
    ['größe 🔒', 'größe 🔒', 'redisson_lock__channel:{größe 🔒}'],
    [
      'line\nbreak\r\n* ? [x] \\',
      'line\nbreak\r\n* ? [x] \\',
      'redisson_lock__channel:{line\nbreak\r\n* ? [x] \\}',
    ],
  ])('%j are as Redisson makes them', async (name, key, channel) => {
    const unique = `${services.prefix}${key}`;
    const inChannel = key.includes('{')
      ? `redisson_lock__channel:${unique}`
      : `redisson_lock__channel:{${unique}}`;
    expect(inChannel.replace(services.prefix, '')).toBe(channel);
    await expectNames(name, unique, inChannel, {});
  });

  test('have the prefix "lock:" unless the module sets another one', async () => {
    const name = `default:${services.prefix}`;
    const channel = `redisson_lock__channel:{lock:${name}}`;
    await expectNames(name, `lock:${name}`, channel, { namePrefix: undefined });
  });

  test("have none with namePrefix '', to be shared with Java", async () => {
    const name = `${services.prefix}plain`;
    await expectNames(name, name, `redisson_lock__channel:{${name}}`, { namePrefix: '' });
  });

  test("are what the module's mapper makes of them", async () => {
    const nameMapper = (name: string) => `${services.prefix}{tenant}:${name}`;
    const key = `${services.prefix}{tenant}:x`;
    await expectNames('x', key, `redisson_lock__channel:${key}`, { namePrefix: undefined, nameMapper });
  });

  test("have ioredis' keyPrefix in keys and in channels alike", async () => {
    const url = new URL(inject('redisUrl'));
    const options = { host: url.hostname, port: Number(url.port || 6379), keyPrefix: 'app:' };
    const key = `app:${services.prefix}x`;
    await expectNames('x', key, `redisson_lock__channel:{${key}}`, {}, options);
    const client = new Redis(options);
    await expectNames('x', key, `redisson_lock__channel:{${key}}`, {}, client);
    client.disconnect();
  });

  test('have a keyPrefix that the URL names in keys and in channels alike', async () => {
    const key = `app:${services.prefix}x`;
    const url = `${inject('redisUrl')}?keyPrefix=app:`;
    await expectNames('x', key, `redisson_lock__channel:{${key}}`, {}, url);
  });

  test('may be one character or 1024 long', async () => {
    const service = await services.open();
    for (const name of ['x', 'n'.repeat(1024)]) {
      const handle = await service.getLock(name).lock();
      expect(await view.redis.exists(services.prefix + name)).toBe(1);
      await handle.unlock();
    }
  });

  test.each(['', 'n'.repeat(1025), 'nul\0', 7, null, undefined, {}, Symbol('x')])(
    'are refused for what is no name (%#)',
    async (name) => {
      const service = await services.open();
      const get = () => Reflect.apply(service.getLock, service, [name]);
      expect(get).toThrow(expect.objectContaining({ name: 'LockConfigurationError', code: 'INVALID_NAME' }));
    },
  );

  test.each([undefined, '', 'nul\0', 7])('are refused when the mapper makes %j of one', async (mapped) => {
    const nameMapper = (): string => Reflect.get({ mapped }, 'mapped') as string;
    const service = await services.open({ namePrefix: undefined, nameMapper });
    expect(() => service.getLock('x')).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        lock: 'x',
        message: expect.stringContaining('nameMapper'),
      }),
    );
  });

  test('are refused in one pair of braces, where they would share all but their key with the name inside', async () => {
    const service = await services.open({ namePrefix: '' });
    expect(() => service.getLock(`{${services.prefix}z}`)).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.stringContaining('without the braces'),
      }),
    );
  });
});
