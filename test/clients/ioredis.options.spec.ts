import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { install } from '../../tools/matrix/installs.mjs';
import {
  CLIENT_KEPT,
  CLIENT_OVERRIDES,
  CLUSTER_KEPT,
  CLUSTER_OVERRIDES,
} from '../../libs/distributed-lock/src/redis-source/ioredis.options.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { ownRedis } from '../locks/own.redis.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { exercise, serverOf } from './lock.exercise.js';
import { readOptionNames } from './option.names.js';
import { CLIENT_VALUES, CLUSTER_VALUES } from './option.values.js';

const SOCKET = join(tmpdir(), `client-options-${process.pid}.sock`);
const PAGE = readFileSync('docs/redis-clients.md', 'utf8');

const server = ownRedis({ args: ['--unixsocket', SOCKET, '--requirepass', 'right'] });
let services: Services;
beforeEach(() => {
  services = new Services(`redis://:right@127.0.0.1:${server().port}`);
});
afterEach(() => services.close());

async function expectToWork(source: RedisSource): Promise<void> {
  const [one, other] = [await services.open({}, source), await services.open({}, source)];
  await exercise(one, other, serverOf(services));
}

/** What the page says becomes of each option of a table, by its name. */
function verdictsOf(heading: string): Map<string, string> {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return new Map(
    [...table.matchAll(/^\| (`.+?`) +\| (\w+)/gm)].flatMap(([, names = '', verdict = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, verdict] as const),
    ),
  );
}

describe('every option of ioredis', () => {
  let folders: readonly string[];
  beforeAll(async () => {
    folders = [
      'node_modules/ioredis',
      join(await install('ioredis-5', ['ioredis@5'], false), 'node_modules/ioredis'),
    ];
  }, scaled(120_000));

  // The compiler reads the types of two versions.
  test(
    'of versions 5 and 6 has an answer, a test and a row in the documentation',
    { timeout: scaled(30_000) },
    () => {
      const [ofClient, ofCluster] = [verdictsOf('Options of a client'), verdictsOf('Options of a Cluster')];
      for (const { client, cluster } of folders.map(readOptionNames)) {
        expect(client.filter((name) => !(name in CLIENT_KEPT || name in CLIENT_OVERRIDES))).toEqual([]);
        expect(cluster.filter((name) => !(name in CLUSTER_KEPT || name in CLUSTER_OVERRIDES))).toEqual([]);
        expect(client.filter((name) => !ofClient.has(name))).toEqual([]);
        expect(cluster.filter((name) => !ofCluster.has(name))).toEqual([]);
        expect(
          client.filter((name) => !(name in CLIENT_VALUES) && !['port', 'path', 'role'].includes(name)),
        ).toEqual([]);
        expect(cluster.filter((name) => !(name in CLUSTER_VALUES))).toEqual([]);
      }
    },
  );

  test.each([
    ['Options of a client', CLIENT_KEPT, CLIENT_OVERRIDES],
    ['Options of a Cluster', CLUSTER_KEPT, CLUSTER_OVERRIDES],
  ])('of the table "%s" has the effect that the documentation names', (heading, kept, overrides) => {
    const found = [...verdictsOf(heading)];
    const expected = found.map(([name]) => [
      name,
      name === 'role'
        ? 'refused'
        : name in kept
          ? 'kept'
          : name in overrides
            ? 'set'
            : 'unknown to the library',
    ]);
    expect(found).toEqual(expected);
  });
});

describe('a lock is acquired, on a server that knows no script and across a reconnect,', () => {
  const place = (): Omit<RedisOptions, 'replyMapping'> => ({
    host: '127.0.0.1',
    port: server().port,
    password: 'right',
  });

  test.each(Object.entries(CLIENT_VALUES))(
    'whatever %s is',
    { timeout: scaled(20_000) },
    async (name, value) => {
      await expectToWork({ ...place(), [name]: value });
      const client = new Redis({ ...place(), [name]: value, lazyConnect: true });
      await expectToWork(client);
      expect(client.status).toBe('wait');
    },
  );

  test('by the path of a socket', async () => {
    await expectToWork({ path: SOCKET, password: 'right' });
    await expectToWork(`${SOCKET}?password=right`);
  });

  test('by host and port without a scheme', async () => {
    await expectToWork(`:right@127.0.0.1:${server().port}`);
  });

  test('with options in a URL, which are read by their types', async () => {
    const query =
      'noDelay=false&connectTimeout=30000&disableClientInfo=false&keepAlive=5&commandTimeout=1&protocol=2';
    await expectToWork(`redis://:right@127.0.0.1:${server().port}/2?${query}`);
  });

  test('unless the options name the role of a replica, which is refused', async () => {
    const sentinels = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'm', role: 'slave' as const };
    for (const source of [sentinels, new Redis({ ...sentinels, lazyConnect: true })])
      await expect(services.open({}, source)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
