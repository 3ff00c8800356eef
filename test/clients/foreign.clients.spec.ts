import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster, Redis } from 'ioredis';
import ts from 'typescript';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { install } from '../../tools/matrix/installs.mjs';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { ownRedis } from '../locks/own.redis.js';
import { RedisView } from '../locks/redis.view.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = [
  'iovalkey@0.4',
  'ioredis5@npm:ioredis@5',
  'redis@5',
  'redis6@npm:redis@6',
  'redis4@npm:redis@4',
  'redis3@npm:redis@3',
];

/** What is used of a package of clients like those of ioredis. */
interface IoredisPackage {
  readonly Redis: new (options: object) => Redis;
  readonly Cluster: new (nodes: object[], options: object) => Cluster;
}

type Make = (options: object) => unknown;

let folder: string;
beforeAll(async () => {
  folder = await install('clients', PACKAGES, false);
}, scaled(120_000));

const server = ownRedis();
const clusterServer = ownRedis({
  args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
});
let services: Services;
let view: RedisView;
beforeEach(() => {
  services = new Services(server().url);
  view = new RedisView(server().url);
});
afterEach(async () => {
  view.close();
  await services.close();
});

const load = <T>(name: string): T => createRequire(join(folder, 'package.json'))(name);

describe.each(['iovalkey', 'ioredis5'])('a client of %s', (name) => {
  test('is a template like one of ioredis, and is left alone', async () => {
    const client = new (load<IoredisPackage>(name).Redis)({ port: server().port, lazyConnect: true });
    await expectLocksBy(client);
    expect(client.status).toBe('wait');
  });

  test('may be for a Cluster', async () => {
    const node = clusterServer();
    const nodeView = new RedisView(node.url);
    await nodeView.redis.cluster('ADDSLOTSRANGE', 0, 16_383).catch(() => undefined);
    await until('it is up', async () => (await nodeView.redis.cluster('INFO')).includes('cluster_state:ok'));
    const nodes = [{ host: '127.0.0.1', port: node.port }];
    const cluster = new (load<IoredisPackage>(name).Cluster)(nodes, { lazyConnect: true });
    const [one, other] = [await services.open({}, cluster), await services.open({}, cluster)];
    const held = await one.getLock(name).lock();
    const waiting = other.getLock(name).lock({ waitTime: scaled(5000) });
    expect(await held.unlock()).toBe('released');
    expect(await (await waiting).unlock()).toBe('released');
    expect(cluster.status).toBe('wait');
    nodeView.close();
  });
});

describe('of the "redis" package', () => {
  test.each(['redis', 'redis6'])(
    'a client that %s makes is a template, and is left alone',
    async (version) => {
      const make = load<Readonly<Record<string, Make>>>(version)['createClient'];
      const client = make?.({ url: server().url }) as RedisSource & { readonly isOpen: boolean };
      await expectLocksBy(client);
      expect(client.isOpen).toBe(false);
    },
  );

  const made: readonly (readonly [version: string, factory: string, remedy: string])[] = [
    ['redis', 'createSentinel', 'sentinelRootNodes:'],
    ['redis6', 'createSentinel', 'sentinelRootNodes:'],
    ['redis', 'createClientPool', 'createClient('],
    ['redis4', 'createClient', 'Update'],
    ['redis4', 'createCluster', 'Update'],
    ['redis3', 'createClient', 'Update'],
  ];

  test.each(made)(
    'what %s makes by %s() is refused at once, before a connection',
    async (version, factory, remedy) => {
      const make = load<Readonly<Record<string, Make>>>(version)[factory];
      const client = make?.({
        ...(version === 'redis3' ? { port: server().port } : { url: server().url }),
        name: 'mymaster',
        rootNodes: [{ url: server().url }],
        sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }],
      });
      const before = await view.connections('distributed-lock');
      const opening = services.open({}, client as RedisSource);
      await expect(opening).rejects.toMatchObject({ code: 'INVALID_OPTION' });
      await expect(opening).rejects.toThrow(/not a (?:client|pool) of the "redis" package/);
      await expect(opening).rejects.toThrow(remedy);
      expect(await view.connections('distributed-lock')).toEqual(before);
      // A client of version 3 connects when it is made.
      if (version === 'redis3') Reflect.apply(Reflect.get(Object(client), 'end'), client, [true]);
    },
  );
});

describe('the type of the option', () => {
  const CASES = `
    import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
    import { Redis as Other, Cluster as OtherCluster } from 'ioredis5';
    import { createClient, createCluster, createSentinel } from 'redis';
    import type { RedisSource } from 'nestjs-distributed-lock';
    const take = (source: RedisSource) => source;
    take(new Valkey());
    take(new ValkeyCluster([]));
    take(new Other());
    take(new OtherCluster([]));
    take('localhost:6379');
    take(createClient());
    take(createClient({ RESP: 3 }));
    take(createCluster({ rootNodes: [] }));
    take({ sentinelRootNodes: [{ host: 'a', port: 1 }], name: 'mymaster' });
    take(createSentinel({ sentinelRootNodes: [], name: 'mymaster' })); // error
    take({ sentinelRootNodes: [{ host: 'a', port: 1 }] }); // error
    take(Promise.resolve(new Valkey())); // error
    take(() => new Valkey()); // error
    take([{ host: 'a' }]); // error
    take({ url: 'redis://localhost' }); // error
    take({ host: 'a', url: 'redis://localhost' }); // error
    take({ config: { host: 'a' } }); // error
    take(process.env['REDIS_URL']); // error
    take(new URL('redis://localhost')); // error
  `;

  test(
    'takes clients of ioredis, of iovalkey and of node-redis, and nothing else that is not a source',
    () => {
      const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
      const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
      const name = join(folder, 'cases.ts');
      const typed = {
        ...options,
        paths: {
          ...options.paths,
          'nestjs-distributed-lock': [join(ROOT, 'libs/distributed-lock/src/index.ts')],
        },
      };
      const host = ts.createCompilerHost(typed);
      const read = host.getSourceFile.bind(host);
      const exists = host.fileExists.bind(host);
      host.fileExists = (file) => file === name || exists(file);
      host.getSourceFile = (file, version, ...rest) =>
        file === name ? ts.createSourceFile(file, CASES, version) : read(file, version, ...rest);
      const program = ts.createProgram(
        [name],
        { ...typed, typeRoots: [join(ROOT, 'node_modules/@types')] },
        host,
      );
      const source = program.getSourceFile(name);
      const found = program
        .getSemanticDiagnostics(source)
        .map(({ start = 0 }) => source?.getLineAndCharacterOfPosition(start).line);
      const expected = CASES.split('\n').flatMap((line, index) => (line.endsWith('// error') ? [index] : []));
      expect(found).toEqual(expected);
    },
    scaled(60_000),
  );
});

/** Two instances with the client as their template: one waits for the lock that the other one releases. */
async function expectLocksBy(client: RedisSource): Promise<void> {
  const [one, other] = [await services.open({}, client), await services.open({}, client)];
  const held = await one.getLock('x').lock();
  await view.redis.script('FLUSH');
  const waiting = other.getLock('x').lock({ waitTime: scaled(5000) });
  await until('it waits', async () => (await services.channels()).length > 0);
  expect(await held.unlock()).toBe('released');
  expect(await (await waiting).unlock()).toBe('released');
}
