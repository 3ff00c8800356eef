import { readdir, readFile } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { ownRedis } from '../locks/own.redis.js';
import { until } from '../support/until.js';

const LOCKS: Readonly<Record<string, (service: LockService, name: string) => Lock>> = {
  're-entrant': (service, name) => service.getLock(name),
  'non-re-entrant': (service, name) => service.getNonReentrantLock(name),
  fair: (service, name) => service.getFairLock(name),
  fenced: (service, name) => service.getFencedLock(name),
  spin: (service, name) => service.getSpinLock(name),
  read: (service, name) => service.getReadWriteLock(name).readLock(),
  write: (service, name) => service.getReadWriteLock(name).writeLock(),
};

const OTHERS: Readonly<Record<string, (service: LockService, name: string) => unknown>> = {
  multi: (service, name) => service.getMultiLock('user:fine', name),
  semaphore: (service, name) => service.getSemaphore(name),
  'expirable semaphore': (service, name) => service.getPermitExpirableSemaphore(name),
  latch: (service, name) => service.getCountDownLatch(name),
};

/** What users choose is the part behind `user:`. */
const HARMLESS: readonly (readonly [string, string])[] = [
  ['braces', '{'],
  ['braces that close nothing', '}:{x}y{'],
  ['an empty pair of braces', '{}'],
  ['colons', '::tick:'],
  ['a word that is used beside locks', 'timeout'],
  ['line ends', 'a\nSET b 1\r\nDEL c\r\n\u2028'],
  ['control characters', '\u0001\u001b[2J\u007f\u009b'],
  ['patterns', '*?[a-z]\\'],
  ['quotes', '"\'` $(x) %s ${y}'],
  ['letters of everywhere', 'größe 注文 🔒 \u202e'],
];

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['NUL', 'user:a\0b'],
  ['10 kB', `user:${'n'.repeat(10_240)}`],
  ['10 kB of a letter of three bytes', `user:${'注'.repeat(3414)}`],
  ['half of a surrogate pair', 'user:\ud800'],
  ['nothing', ''],
  ['a number', 7],
  ['an object with a toString', { toString: () => 'user:admin' }],
  ['an array without a text', [['user:a']]],
  ['undefined', undefined],
  ["the record of the job 'user:{a}'", 'user:{a}:tick'],
  ["the rows of the job 'user:{a}'", 'user:{a}:runs'],
  ["the leases of the permits of 'user:{a}'", 'user:{a}:timeout'],
  ["the permits that were given to places at 'user:{a}'", 'user:{a}:given'],
  ["the queue's signs of life of 'user:{a}'", 'user:{a}:fair_alive'],
  ["the declared waits of 'user:{a}'", 'user:{a}:fair_waits'],
  ["the writer that waits for 'user:{a}'", 'user:{a}:write_intent'],
  ["the processes that wait to read 'user:{a}'", 'user:{a}:readers'],
  ["a hold of a reader of 'user:{a}'", 'user:{a}:6e38a1f0-0000-4000-8000-000000000001:1:rwlock_timeout:1'],
  ["the record of a call to 'user:{a}'", 'user:{a}:call:6e38a1f0-0000-4000-8000-000000000001:1'],
  ["the channel of a waiter for 'user:{a}'", 'user:{a}:6e38a1f0-0000-4000-8000-000000000001:1'],
];

describe("names from users' input", () => {
  const server = ownRedis();
  const services: LockService[] = [];
  let admin: Redis;

  async function open(namePrefix = 'lock:'): Promise<LockService> {
    const settings = readSettings({
      namePrefix,
      shutdownTimeout: 200,
      lockWatchdogTimeout: '2s',
      // No keys but those of the names.
      instanceInfo: false,
    });
    const service = await openLockService(settings, server().url);
    services.push(service);
    return service;
  }

  beforeAll(async () => {
    admin = new Redis(server().url);
    await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    await until('nothing is left behind', async () => {
      const keys = await admin.keys('*');
      const channels = await admin.pubsub('CHANNELS', '*');
      return keys.every((key) => key.startsWith('redisson_lock_token:')) && channels.length === 0;
    });
    await admin.flushall();
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.shutDown()));
    admin.disconnect();
  });

  /** The keys that the lock of that key in Redis may have; in each of them it stands whole. */
  function isOf(key: string, found: string): boolean {
    if (found === key) return true;
    const tagged = key.includes('{') ? key : `{${key}}`;
    return found.startsWith(`${tagged}:`) || found.endsWith(`:${tagged}`);
  }

  for (const [index, [kind, get]] of Object.entries(LOCKS).entries())
    test.each(HARMLESS)(
      `stay at their own keys and channels with %s, as a ${kind} lock's`,
      async (_what, part) => {
        const [one, other] = services;
        if (one === undefined || other === undefined) throw new Error('there are no services');
        const name = `user:${index}${part}`;
        const held = await get(one, name).lock();
        const waiting = (kind === 'read' ? one.getReadWriteLock(name).writeLock() : get(other, name)).lock({
          waitTime: '5s',
        });
        const keys = async () => await admin.keys('*');
        const channels = async () => (await admin.pubsub('CHANNELS', '*')).map(String);
        if (kind === 'spin') await until('the key is there', async () => (await keys()).length > 0);
        else await until('somebody listens', async () => (await channels()).length > 0);
        const key = `lock:${name}`;
        expect((await keys()).filter((found) => !isOf(key, found))).toEqual([]);
        const tagged = key.includes('{') ? key : `{${key}}`;
        for (const channel of await channels())
          expect(channel.replace(/:[\da-f-]{36}:\d+$/, '')).toMatch(/^redisson_(lock__channel|rwlock):/);
        expect((await channels()).filter((channel) => !channel.includes(`:${tagged}`))).toEqual([]);
        expect(await held.unlock()).toBe('released');
        const next = await waiting;
        expect(next.name).toBe(name);
        expect(await next.unlock()).toBe('released');
      },
    );

  test.each(HARMLESS)(
    'stay at their own keys with %s, as names of counters and jobs',
    async (_what, part) => {
      const [one] = services;
      const names = ['semaphore', 'permits', 'latch', 'job'].map((what) => `user:${what}${part}`);
      const [semaphore = '', permits = '', latch = '', job = ''] = names;
      await one?.getSemaphore(semaphore).trySetPermits(2);
      expect(await one?.getSemaphore(semaphore).tryAcquire()).toBe(true);
      await one?.getPermitExpirableSemaphore(permits).trySetPermits(2);
      const permit = await one?.getPermitExpirableSemaphore(permits).tryAcquire();
      await one?.getCountDownLatch(latch).trySetCount(2);
      await one?.getCountDownLatch(latch).countDown();
      expect(await one?.runOnce(job, 1000, () => 'run')).toBe('run');
      // The list of jobs has no name in its key, and is written a moment behind the claim.
      const isList = (key: string) => key.endsWith('}:job_list');
      await until('the job is listed', async () => (await admin.keys('*')).some(isList));
      const found = (await admin.keys('*')).filter((key) => !isList(key));
      expect(found.filter((each) => !names.some((name) => isOf(`lock:${name}`, each)))).toEqual([]);
      expect(found).toHaveLength(6);
      await permit?.unlock();
      await admin.flushall();
    },
  );

  const all = Object.entries({ ...LOCKS, ...OTHERS });
  test.each(REFUSED)('are refused, for every kind, when they are %s', async (_what, name) => {
    const [one] = services;
    if (one === undefined) throw new Error('there is no service');
    for (const [kind, get] of all)
      expect(() => Reflect.apply(get, undefined, [one, name]), kind).toThrow(
        expect.objectContaining({ name: 'LockConfigurationError' }),
      );
    await expect(Reflect.apply(one.using, one, [name, () => 'never'])).rejects.toMatchObject({
      name: 'LockConfigurationError',
    });
    await expect(
      async () => await Reflect.apply(one.runOnce, one, [name, 1000, () => 'never']),
    ).rejects.toMatchObject({
      code: 'INVALID_NAME',
    });
    expect(await admin.keys('*')).toEqual([]);
  });

  test.each([
    'redisson_lock_queue:{user:a}',
    'redisson_lock_token:{user:a}',
    'redisson_unlock_latch:{user:a}:0',
    '{user:a}',
  ])('are refused without a prefix when they are %s', async (name) => {
    const service = await open('');
    for (const [kind, get] of all)
      expect(() => get(service, name), kind).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
  });

  test('cannot write lines into logs and messages', async () => {
    const lines: string[] = [];
    for (const level of ['error', 'warn', 'log', 'debug'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => void lines.push(String(line)));
    const [one, other] = services;
    const name = 'user:x\n[Nest] 1  - ERROR all is lost\u2028\u001b[2J';
    const held = await one?.getLock(name).lock();
    await expect(other?.getLock(name).lock({ waitTime: 0 })).rejects.toSatisfy(
      (error: Error) =>
        error.message.includes('user:x\\u000a[Nest]') && !/[\p{Cc}\u2028]/u.test(error.message),
    );
    await admin.flushall();
    await until('the loss is logged', () => lines.length > 0);
    expect(lines.join('')).toContain('user:x\\u000a[Nest]');
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(await held?.unlock()).toBe('lost');
  });
});

test('every form of a key beside a lock that the sources make is one that no name may have', async () => {
  const root = new URL('../../libs/distributed-lock/src/', import.meta.url);
  const files = (await readdir(root, { recursive: true })).filter((file) => /(?<!spec)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, root), 'utf8')));
  const forms = [
    ...texts
      .join('\n')
      .matchAll(/(?:suffixName|prefixName|prefixKey)\((?:'([\w:]+)',|[\w.]+, [`']([^`']+)[`'])/g),
  ];
  expect(new Set(forms.map(([, before, behind]) => before ?? behind))).toEqual(
    new Set([
      ...['redisson_lock__channel', 'redisson_rwlock', 'redisson_sc', 'lock_job__channel'],
      ...['redisson_lock_queue', 'redisson_lock_timeout', 'redisson_lock_token'],
      ...[
        'fair_waits',
        'fair_alive',
        'write_intent',
        'waiting',
        'given',
        'timeout',
        'tick',
        'runs',
        'call:${call}',
      ],
      ...['job_list', 'instance_list', 'instance:'],
    ]),
  );
});
