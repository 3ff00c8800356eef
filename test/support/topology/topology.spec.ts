import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { slotOf } from '../../../libs/distributed-lock/src/redis/key.slot.js';
import { scaled } from '../slowness.js';
import { ClusterTopology } from './cluster.topology.js';
import { SentinelTopology } from './sentinel.topology.js';
import { StandaloneTopology } from './standalone.topology.js';
import { closeSource, sourceOf, type TopologyDescription } from './topology.source.js';
import type { Topology } from './topology.js';

const started: Topology[] = [];
const clients: { disconnect(): void }[] = [];

async function start<T extends Topology>(starting: Promise<T>): Promise<T> {
  const topology = await starting;
  started.push(topology);
  return topology;
}

/** A client, by the way that a worker would get it: through JSON. */
function connect(topology: Topology) {
  const description = JSON.parse(JSON.stringify(topology.describe)) as TopologyDescription;
  const source = sourceOf(description);
  const client = source instanceof Cluster ? source : new Redis(source);
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  await Promise.all(started.splice(0).map((topology) => topology.stop()));
});

async function expectGone(topology: Topology, folder: string): Promise<void> {
  await topology.stop();
  started.splice(started.indexOf(topology), 1);
  expect(existsSync(folder)).toBe(false);
  for (const { pid } of topology.servers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}

async function folderOf({ servers: [server] }: Topology): Promise<string> {
  const answer = await server?.admin.config('GET', 'dir');
  return dirname(String(Array.isArray(answer) ? answer[1] : Object.values(Object(answer))[0]));
}

describe('one server', () => {
  test('is killed, comes again with or without its data, and is gone in the end', async () => {
    const topology = await start(StandaloneTopology.start({ persistent: true }));
    const folder = await folderOf(topology);
    const { server } = topology;
    const client = connect(topology);
    await client.set('kept', 'yes');
    await server.kill();
    await server.restart({ keepData: true });
    expect(await server.admin.get('kept')).toBe('yes');
    await server.restart();
    expect(await server.admin.get('kept')).toBeNull();
    client.disconnect();
    await expectGone(topology, folder);
  });
});

describe('Sentinel', () => {
  test(
    'fails over on demand and after a kill, takes the dead one back, and is gone in the end',
    async () => {
      const began = performance.now();
      const topology = await start(SentinelTopology.start());
      console.log(`Sentinel started within ${Math.round(performance.now() - began)} ms`);
      const folder = await folderOf(topology);
      const client = connect(topology);
      await client.set('kept', 'yes');
      expect(await client.call('WAIT', 2, 5000)).toBe(2);
      const first = await topology.master();
      const second = await topology.failOver();
      expect(second).not.toBe(first);
      await topology.complete();
      expect(await second.admin.get('kept')).toBe('yes');
      expect(await topology.killMaster()).toBe(second);
      const third = await topology.succeeded(second);
      await topology.restart(second);
      expect(await topology.replicas()).toContain(second);
      expect(await third.admin.get('kept')).toBe('yes');
      closeSource(client);
      await expectGone(topology, folder);
    },
    scaled(40_000),
  );
});

describe('Cluster', () => {
  test(
    'fails over, moves a slot with its keys, survives a killed master, and is gone in the end',
    async () => {
      const began = performance.now();
      const topology = await start(ClusterTopology.start());
      console.log(`Cluster started within ${Math.round(performance.now() - began)} ms`);
      const folder = await folderOf(topology);
      const client = connect(topology);
      const slot = slotOf('{a}');
      const names = Array.from({ length: 150 }, (_, index) => `{a}:${index}`);
      await Promise.all(names.map((name) => client.set(name, 'yes')));
      const masters = await topology.masters();
      expect(masters).toHaveLength(3);

      const owner = await topology.masterOf(slot);
      const target = masters.find((master) => master !== owner) ?? owner;
      await topology.migrateSlot(slot, target, async () => await client.set('{a}:new', 'yes'));
      expect(await topology.masterOf(slot)).toBe(target);
      expect(await client.get('{a}:149')).toBe('yes');
      expect(await client.get('{a}:new')).toBe('yes');

      const next = await topology.failOver(slot);
      expect(next).not.toBe(target);
      await topology.complete();
      expect(await topology.killMaster(slot)).toBe(next);
      expect(await topology.succeeded(slot, next)).toBe(target);
      await topology.restart(next);
      expect(await topology.replicasOf(target)).toContain(next);
      expect(await topology.masters()).toHaveLength(3);
      closeSource(client);
      await expectGone(topology, folder);
    },
    scaled(60_000),
  );
});
