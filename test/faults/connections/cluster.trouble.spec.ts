import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../../tools/redis/redis.probe.mjs';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../../support/slowness.js';
import { uniquePrefix } from '../../support/services.js';
import { ClusterTopology } from '../../support/topology/cluster.topology.js';
import { SentinelTopology } from '../../support/topology/sentinel.topology.js';
import type { ConnectionOptions } from '../../support/topology/topology.source.js';
import { LogLines } from './log.lines.js';

const PASSWORD = 's3cret';

function open(source: Parameters<typeof openLockService>[1]): Promise<LockService> {
  const options = { namePrefix: uniquePrefix(), serverCheck: false, shutdownTimeout: 200 };
  return openLockService(readSettings(options), source);
}

/** What an application that does not start says. */
async function bootError(source: Parameters<typeof openLockService>[1]): Promise<string> {
  const start = performance.now();
  const told: unknown = await open(source).then(
    async (service) => await service.shutDown(),
    (error: unknown) => error,
  );
  expect(performance.now() - start).toBeLessThan(5000 + scaled(2000));
  expect(told).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE' });
  return String(told);
}

describe('a cluster that an application cannot use', () => {
  let topology: ClusterTopology;
  let log: LogLines;
  beforeAll(async () => {
    topology = await ClusterTopology.start();
    const refusing = { slots: '-cluster|slots', info: '-cluster|info', ready: '-info' };
    for (const { admin } of topology.servers)
      for (const [name, rule] of Object.entries(refusing))
        await admin.acl('SETUSER', `no-${name}`, 'on', `>${PASSWORD}`, '~*', '&*', '+@all', rule);
  });
  afterAll(() => topology.stop());

  const template = (redisOptions: ConnectionOptions, nodes = topology.describe.nodes): Cluster => {
    const cluster = new Cluster([...nodes], { redisOptions, lazyConnect: true });
    cluster.options.lazyConnect = false;
    return cluster;
  };

  test(
    'is an error at boot that names a node and the reason, and no password',
    { timeout: scaled(30_000) },
    async () => {
      log = new LogLines();
      const closed = await findFreePort();
      const at = (port: number) => [{ host: '127.0.0.1', port }];
      const node = /127\.0\.0\.1:\d+: /;
      const cases: readonly (readonly [string, Cluster, ...(string | RegExp)[]])[] = [
        ['a wrong password', template({ username: 'no-slots', password: 'wr0ng' }), node, 'WRONGPASS'],
        ['CLUSTER SLOTS', template({ username: 'no-slots', password: PASSWORD }), node, 'cluster|slots'],
        ['CLUSTER INFO', template({ username: 'no-info', password: PASSWORD }), 'cluster|info'],
        ['TLS', template({ tls: {} }), node, /no answer to CLUSTER SLOTS|TLS/],
        ['a closed port', template({}, at(closed)), `127.0.0.1:${closed}: `, 'ECONNREFUSED'],
        [
          'a name',
          template({}, [{ host: 'no-such-host.invalid', port: 1 }]),
          'no-such-host.invalid',
          /ENOTFOUND|EAI_AGAIN/,
        ],
      ];
      await Promise.all(
        cases.map(async ([name, cluster, ...parts]) => {
          const told = await bootError(cluster);
          for (const part of parts) expect(told, name).toMatch(part);
          for (const secret of [PASSWORD, 'wr0ng', 'Failed to refresh slots cache'])
            expect(told, name).not.toContain(secret);
        }),
      );
      expect(log.printed).toEqual([]);
    },
  );

  test('logs what ioredis would print of its nodes, once, and serves', async () => {
    log = new LogLines();
    const unchecked = await open(template({ username: 'no-ready', password: PASSWORD }));
    const unneeded = await open(template({ password: PASSWORD, protocol: 2 }));
    for (const service of [unchecked, unneeded])
      for (let name = 0; name < 20; name += 1) {
        const handle = await service.getLock(`${name}`).lock();
        expect(await handle.unlock()).toBe('released');
      }
    expect(log.lines.filter((line) => line.includes('refuses INFO'))).toHaveLength(1);
    expect(log.lines.filter((line) => line.includes('accepts clients without a password'))).toHaveLength(1);
    expect(log.printed).toEqual([]);
    await Promise.all([unchecked, unneeded].map((service) => service.shutDown()));
  });
});

describe('sentinels that do not lead to a master', () => {
  let topology: SentinelTopology;
  beforeAll(async () => {
    topology = await SentinelTopology.start();
  });
  afterAll(() => topology.stop());

  test('are an error at boot that names the reason of each', { timeout: scaled(30_000) }, async () => {
    const log = new LogLines();
    const closed = await findFreePort();
    const { nodes, name } = topology.describe;
    const sentinels = [...nodes];
    const [first] = nodes;
    const cases: readonly (readonly [string, object, ...(string | RegExp)[]])[] = [
      [
        'an unknown name',
        { sentinels, name: 'another' },
        `127.0.0.1:${first?.port}`,
        /No such master|no master/,
      ],
      [
        'closed ports',
        { sentinels: [{ host: '127.0.0.1', port: closed }], name },
        `127.0.0.1:${closed}: connect ECONNREFUSED`,
      ],
      ['a wrong password', { sentinels, name, username: 'nobody', password: 'wr0ng' }, 'WRONGPASS'],
    ];
    await Promise.all(
      cases.map(async ([what, source, ...parts]) => {
        const told = await bootError(source);
        for (const part of parts) expect(told, what).toMatch(part);
        expect(told, what).not.toContain('wr0ng');
      }),
    );
    expect(log.printed).toEqual([]);
  });

  test('are logged as unreachable where they are not needed yet', async () => {
    const log = new LogLines();
    const closed = await findFreePort();
    const { nodes, name } = topology.describe;
    const sentinels = [...nodes, { host: '127.0.0.1', port: closed }];
    const service = await open({ sentinels, name, failoverDetector: true });
    await vi.waitFor(() => {
      expect(log.lines.filter((line) => line.includes(`127.0.0.1:${closed}`))).toHaveLength(1);
    }, scaled(3000));
    await (await service.getLock('x').lock()).unlock();
    expect(log.printed).toEqual([]);
    await service.shutDown();
  });
});
