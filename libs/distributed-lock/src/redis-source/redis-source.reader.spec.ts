import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { describe, expect, test } from 'vitest';
import { readSource, type RedisSource } from './redis-source.reader.js';

const read = (source: unknown) => readSource('redis', source as RedisSource);

class Holder {
  getOrThrow(): void {}
}

class RedisConfig {
  get host(): string {
    return 'redis-1';
  }
}

/** What was given, what the error calls it, and what it says to write instead. */
const REFUSED: readonly (readonly [given: unknown, called: string, remedy: string])[] = [
  [undefined, 'undefined', 'variable'],
  [null, 'null', 'variable'],
  [6379, 'number', 'variable'],
  [true, 'boolean', 'variable'],
  ['', 'an empty string', 'environment variable'],
  ['0', 'port', '6379'],
  ['70000', 'port', '6379'],
  ['http://localhost', '"http:"', 'redis://'],
  ['REDISS://localhost', '"REDISS:"', 'redis://'],
  ['valkey://localhost', '"valkey:"', 'redis://'],
  ['unix:///run/redis.sock', '"unix:"', '"/run/redis.sock"'],
  ['redis://', 'without a host', 'localhost'],
  ['//localhost:6379', 'is not a valid URL', 'database'],
  ['redis:///0', 'without a host', 'localhost'],
  ['redis:u:s3cret@localhost', 'is not a valid URL', 'database'],
  ['redis:/localhost', 'is not a valid URL', 'database'],
  ['localhost:6379/2', 'is not a valid URL', 'database'],
  ['redis://localhost/two', 'is not a valid URL', 'database'],
  ['redis://localhost:undefined', 'is not a valid URL', 'database'],
  ['redis://undefined:6379', '"undefined"', 'variable'],
  ['redis://u:s3cret#1@localhost', 'is not a valid URL', 'Percent-encode'],
  ['redis://u:s3cret/1@localhost', 'is not a valid URL', 'Percent-encode'],
  ['redis://u:s3cret?1@localhost', 'is not a valid URL', 'Percent-encode'],
  ['redis://u:%s3cret@localhost', 'is not a valid URL', 'Percent-encode'],
  ['redis://localhost?lazyconnect=true', '"lazyconnect"', 'lazyConnect'],
  ['redis://localhost?connectTimeout=soon', 'connectTimeout is not a number', 'a number'],
  ['redis://localhost?noDelay=maybe', 'noDelay is not true or false', 'true or false'],
  ['redis://localhost?role=slave', 'role is "slave"', 'replica'],
  [Promise.resolve('s3cret'), 'a promise', 'forRootAsync'],
  [() => 's3cret', 'a function', 'forRootAsync'],
  [Redis, 'a class', 'Give an instance'],
  [['redis://u:s3cret@localhost'], 'an array', 'new Cluster'],
  [[{ host: 'a' }, { host: 'b' }], 'an array', 'new Cluster'],
  [new Holder(), 'the class Holder', 'new Redis'],
  [new Map(), 'the class Map', 'host'],
  [new URL('redis://u:s3cret@localhost'), 'the class URL', 'host'],
  [new RedisConfig(), 'the class RedisConfig without the address', 'host'],
  [{}, 'without the address of Redis', 'host'],
  [{ host: undefined, password: 's3cret' }, 'without the address of Redis', 'host'],
  [{ url: 'redis://u:s3cret@localhost' }, '"url"', 'the URL itself'],
  [{ host: 'localhost', url: 'redis://u:s3cret@localhost' }, '"url"', 'the URL itself'],
  [{ config: { host: 'localhost', password: 's3cret' } }, '"config"', 'Give its contents'],
  [{ type: 'single', options: { password: 's3cret' } }, '"options"', 'Give its contents'],
  [{ socket: { host: 'localhost' } }, '"socket"', 'host, port'],
  [{ rootNodes: [] }, '"rootNodes"', 'new Cluster'],
  [{ nodes: [], redisOptions: {} }, '"nodes"', 'new Cluster'],
  [{ client: {} }, '"client"', 'client itself'],
  [{ host: 'localhost', pasword: 's3cret' }, '"pasword"', 'Write "password"'],
  [{ host: 'localhost', Host: 'b' }, '"Host"', 'Write "host"'],
  [{ host: 'localhost', keyprefix: 'a' }, '"keyprefix"', 'Write "keyPrefix"'],
  [{ host: 'localhost', colour: 'red' }, '"colour"', 'new Redis({ … })'],
  [{ host: 'localhost:6379' }, 'host has a port', 'separately'],
  [{ host: 'redis://u:s3cret@localhost' }, 'host is a URL', 'instead of the object'],
  [{ host: '' }, 'host is empty', 'variable'],
  [{ host: 'undefined' }, 'host is "undefined"', 'variable'],
  [{ host: 7 }, 'host is not text', 'text'],
  [{ port: 0 }, 'port', '6379'],
  [{ port: 'x' }, 'port', '6379'],
  [{ port: Number.NaN }, 'port', '6379'],
  [{ port: 6379, db: -1 }, 'db', 'db: 0'],
  [{ port: 6379, db: 'x' }, 'db', 'db: 0'],
  [{ port: 6379, connectTimeout: '5s' }, 'connectTimeout is not a number', 'a number'],
  [{ port: 6379, noDelay: 'maybe' }, 'noDelay is not true or false', 'true or false'],
  [{ sentinels: [], name: 'a' }, 'sentinels are not an array', 'sentinels: ['],
  [{ sentinels: 'a:1', name: 'a' }, 'sentinels are not an array', 'sentinels: ['],
  [{ sentinels: [{ host: 'a' }] }, 'without the name', 'mymaster'],
  [{ sentinels: [{ host: 'a' }], name: 'a', role: 'slave' }, 'role is "slave"', 'replica'],
  [{ sentinelRootNodes: [], name: 'a' }, 'sentinelRootNodes are not an array', 'mymaster'],
  [{ sentinelRootNodes: [{ host: 'a', port: 1 }] }, 'without the name', 'mymaster'],
  [
    createSentinel({ name: 'a', sentinelRootNodes: [{ host: 'a', port: 1 }] }),
    'with sentinels, which does not show its options',
    'sentinelRootNodes',
  ],
  [{ isOpen: false, options: { password: 's3cret' }, duplicate: () => 0 }, 'version before 5', 'Update'],
];

describe('a source that cannot be used', () => {
  test.each(REFUSED)('is refused: %j is called %s', (given, called, remedy) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ name: 'LockConfigurationError', code: 'INVALID_OPTION' }),
    );
    expect(() => read(given)).toThrow(/The option "redis" of DistributedLockModule must be a URL/);
    const [, , said = ''] = /^(.*?), not (.*)$/s.exec(messageOf(given)) ?? [];
    expect(said).toContain(called);
    expect(said).toContain(remedy);
    expect(said).not.toContain('s3cret');
  });

  test('is one of red locks, too, by its place', () => {
    expect(() => readSource('redLock.servers[2]', 'http://a')).toThrow('"redLock.servers[2]"');
  });
});

describe('a source that can be used', () => {
  test.each([
    'redis://localhost',
    'rediss://u:p%40ss@redis-1:6380/2?connectionName=a&connectTimeout=500&lazyConnect=true&family=6',
    'redis://[::1]:6379/0',
    'redis://?path=/run/redis.sock',
    'localhost:6379',
    'redis-1',
    ':password@localhost',
    '6379',
    '/run/redis.sock?db=2',
    { port: 6379 },
    { port: '6379', db: '3', host: undefined, url: undefined },
    { path: '/run/redis.sock' },
    { host: 'redis-1', tls: {}, username: null, password: 7, protocol: 2, role: 'master' },
    { sentinels: [{ host: 'a', port: 26_379 }], name: 'mymaster', natMap: {} },
    { Connector: Redis },
    { ...new Redis({ lazyConnect: true }).options, host: 'redis-1' },
  ])('is taken as it is: %j', (source) => {
    expect(read(source)).toBe(source);
  });

  test('is a client, or a cluster, of the "redis" package, and the options of its Sentinel', () => {
    const sources = [
      createClient(),
      createClient({ url: 'redis://u:p@localhost' }).withTypeMapping({}),
      createCluster({ rootNodes: [{ url: 'redis://localhost' }] }),
      { sentinelRootNodes: [{ host: 'a', port: 26_379 }], name: 'mymaster' },
    ];
    for (const source of sources) expect(read(source)).toBe(source);
  });

  test('is a client, a Cluster, one of a subclass, and the options of a client', () => {
    class Traced extends Redis {}
    const clients = [
      new Redis({ lazyConnect: true }),
      new Traced({ lazyConnect: true }),
      new Cluster([{ host: 'a' }], { lazyConnect: true }),
    ];
    for (const client of clients) expect(read(client)).toBe(client);
    const { options } = new Redis({ lazyConnect: true, keyPrefix: 'a' });
    expect(read(options)).toBe(options);
  });
});

function messageOf(given: unknown): string {
  try {
    read(given);
    return 'it was taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
