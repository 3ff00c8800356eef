import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisSource } from '../../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { openLockService } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../../support/slowness.js';
import { uniquePrefix } from '../../support/services.js';
import { ClusterTopology } from '../../support/topology/cluster.topology.js';
import { SentinelTopology } from '../../support/topology/sentinel.topology.js';
import { StandaloneTopology } from '../../support/topology/standalone.topology.js';
import type { Topology } from '../../support/topology/topology.js';
import { closeSource, sourceOf } from '../../support/topology/topology.source.js';
import { until } from '../../support/until.js';
import { CLIENT_EVENTS } from './client.events.js';
import { LogLines } from './log.lines.js';

/** Whatever ioredis emits by its name: directly, by its `silentEmit`, by what a connector is given, or as a status. */
const EMITTED = /(?:\.emit|silentEmit|eventEmitter|setStatus)\(\s*["']([^"']+)["']/g;

/** The events in the source of the ioredis that is installed, or of the one in `IOREDIS_FOLDER`. */
async function eventsInSource(): Promise<string[]> {
  const main = createRequire(import.meta.url).resolve('ioredis');
  const folder = process.env['IOREDIS_FOLDER'] ?? dirname(main);
  const files = await readdir(folder, { recursive: true });
  const texts = await Promise.all(
    files.filter((file) => file.endsWith('.js')).map((file) => readFile(join(folder, file), 'utf8')),
  );
  const names = texts.flatMap((text) => [...text.matchAll(EMITTED)].map(([, name = '']) => name));
  return [...new Set(names)].toSorted();
}

test('the table has each event in the source of ioredis', async () => {
  const events = await eventsInSource();
  expect(events.length).toBeGreaterThan(20);
  expect(events.filter((event) => !(event in CLIENT_EVENTS))).toEqual([]);
});

test('the documentation states what happens at each event', async () => {
  const page = await readFile(new URL('../../../docs/degraded-redis.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| event | of | what becomes of it |');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(documented.toSorted()).toEqual(Object.keys(CLIENT_EVENTS).toSorted());
});

describe.each([
  ['a single server', () => StandaloneTopology.start()],
  ['a master with sentinels', () => SentinelTopology.start()],
  ['a cluster', () => ClusterTopology.start()],
] as const)('%s', (_, start) => {
  let topology: Topology;
  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology.stop());

  const emitted = new Set<string>();
  beforeEach(() => {
    for (const { prototype } of [Redis, Cluster]) {
      const { emit } = prototype;
      vi.spyOn(prototype, 'emit').mockImplementation(function (this: Redis, event, ...values) {
        emitted.add(String(event));
        return emit.call(this, event, ...values);
      });
    }
  });

  async function open(source: RedisSource) {
    const options = { namePrefix: uniquePrefix(), commandTimeout: scaled(300), shutdownTimeout: 100 };
    return await openLockService(readSettings({ ...options, serverCheck: false }), source);
  }

  test(
    'emits nothing that the table does not know: at boot, when it refuses, when it is killed, and when it is back',
    { timeout: scaled(60_000) },
    async () => {
      const log = new LogLines();
      const wrong = sourceOf(topology.describe, { password: 'wrong', username: 'nobody' });
      const source = sourceOf(topology.describe);
      const refused = await open(wrong).catch(String);
      expect(refused).toContain('WRONGPASS');
      const service = await open(source);
      const other = await open(source);
      // Each is a slot of its own.
      const names = Array.from({ length: 12 }, (_name, index) => `${index}`);
      const held = await Promise.all(
        names.map((name) => service.getLock(name).lock({ leaseTime: scaled(2000) })),
      );
      const waiting = names.map((name) => other.getLock(name).lock());
      await until(
        'they sleep',
        async () => (await other.getLock('0').isLocked()) && other.engine.localLocks.size > 0,
      );
      await held[0]?.unlock();
      await (await waiting[0])?.unlock();
      const [master] = await topology.masters();
      await master?.restart();
      // A release that gets no answer goes on in the background.
      for (const next of waiting) await (await next).unlock().catch(() => undefined);
      await (await service.getLock('after').lock({ waitTime: scaled(20_000) })).unlock();
      await Promise.all([service, other].map((one) => one.shutDown()));
      for (const one of [wrong, source]) closeSource(one);
      expect([...emitted].filter((event) => !(event in CLIENT_EVENTS))).toEqual([]);
      for (const event of ['connect', 'ready', 'close', 'end', 'error']) expect(emitted).toContain(event);
      expect(log.printed).toEqual([]);
    },
  );
});
