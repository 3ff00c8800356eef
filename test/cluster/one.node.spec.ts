import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import { prefixKey } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { Services, uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { closeSource, sourceOf } from '../support/topology/topology.source.js';
import { until } from '../support/until.js';

let topology: ClusterTopology;
let node: TopologyServer;
let services: Services;
let locks: LockService;
const warned: string[] = [];

beforeAll(async () => {
  topology = await ClusterTopology.start({ args: ['--cluster-node-timeout', '600000'] });
  const [master] = await topology.masters();
  if (master === undefined) throw new Error('there is no master');
  node = master;
});
afterAll(async () => {
  await topology.stop();
});
beforeEach(async () => {
  warned.length = 0;
  const silent = () => undefined;
  Logger.overrideLogger({ log: silent, error: silent, warn: (text: string) => void warned.push(text) });
  const { host, port } = node.address;
  services = new Services(`redis://${host}:${port}`);
  locks = await services.open();
});
afterEach(async () => {
  Logger.overrideLogger(false);
  const left = await services.keys();
  await services.close();
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
});

/** Names of locks that the node has, or that it has not. */
async function namesOf(isItsOwn: boolean, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let index = 0; names.length < count; index += 1) {
    const name = `n${index}`;
    const owner = await topology.masterOf(slotOf(services.prefix + name));
    if ((owner === node) === isItsOwn) names.push(name);
  }
  return names;
}

/** Everything that waits where the answer is only "not now". */
const WAITS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'lock()': (name) => locks.getLock(name).lock(),
  'tryLock()': (name) => locks.getLock(name).tryLock({ waitTime: '1h' }),
  'using()': (name) => locks.getLock(name).using(() => undefined),
  'a non-reentrant lock': (name) => locks.getNonReentrantLock(name).lock(),
  'a fair lock': (name) => locks.getFairLock(name).lock(),
  'a non-reentrant fair lock': (name) => locks.getNonReentrantFairLock(name).lock(),
  'a fenced lock': (name) => locks.getFencedLock(name).lock(),
  'a spin lock': (name) => locks.getSpinLock(name).lock(),
  'a read lock': (name) => locks.getReadWriteLock(name).readLock().lock(),
  'a write lock': (name) => locks.getReadWriteLock(name).writeLock().lock(),
  'a multi lock': (name) => locks.getMultiLock(locks.getLock(name)).lock(),
  'a semaphore': (name) => locks.getSemaphore(name).acquire(),
  'a permit': (name) => locks.getPermitExpirableSemaphore(name).acquire(),
  'a latch': (name) => locks.getCountDownLatch(name).await({ waitTime: '1h' }),
  'runOnce()': (name) => locks.runOnce(name, Date.now(), () => undefined),
};

describe('with the address of one node of a cluster', () => {
  test('the boot warns, and says what to give instead', async () => {
    await until('it has warned', () => warned.length > 0);
    expect(warned.join('\n')).toMatch(/this is a node of a cluster: .* Give a Cluster of ioredis/);
  });

  test.each(Object.entries(WAITS))('%s of another node is refused at once', async (_what, wait) => {
    const [name = ''] = await namesOf(false, 1);
    await expect(wait(name)).rejects.toMatchObject({
      code: 'REJECTED_BY_REDIS',
      message: expect.stringContaining('MOVED'),
      remedy: expect.stringContaining('Give a Cluster of ioredis'),
    });
  });

  test('a lock of the node itself is granted', async () => {
    const [name = ''] = await namesOf(true, 1);
    expect(await locks.getLock(name).using(() => 'done')).toBe('done');
  });

  test('locks of several slots in one call do not fail each other', async () => {
    const names = [...(await namesOf(true, 3)), ...(await namesOf(false, 2))];
    const all = await Promise.allSettled(names.map((name) => locks.getLock(name).using(() => 'done')));
    expect(all.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
  });
});

test('the list of jobs is refused where jobs of other nodes would be missing', async () => {
  const prefix = await prefixOfNode();
  const cluster = sourceOf(topology.describe);
  const whole = new Services(cluster, { prefix, store: services.store });
  const all = await whole.open();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const name of names) await all.runOnce(name, Date.now(), () => undefined);
  expect(await all.jobs.list()).toHaveLength(names.length);
  const one = await services.open({ namePrefix: prefix });
  await expect(one.jobs.list()).rejects.toMatchObject({ code: 'REJECTED_BY_REDIS' });
  for (const name of names) await all.jobs.forget(name);
  await whole.close();
  closeSource(cluster);
});

/** A prefix whose list of jobs the node has. */
async function prefixOfNode(): Promise<string> {
  for (;;) {
    const prefix = uniquePrefix();
    if ((await topology.masterOf(slotOf(prefixKey(prefix, 'job_list')))) === node) return prefix;
  }
}

test(
  'a failover behind an address that stays refuses no waiter, and the new master grants the lock',
  async () => {
    const [name = ''] = await namesOf(true, 1);
    const proxy = await TcpProxy.open(node.address.port);
    const [holder, waiter] = [await services.open({}, proxy.url), await services.open({}, proxy.url)];
    const held = await holder.getLock(name).lock({ leaseTime: scaled(30_000) });
    const waits = waiter.getLock(name).lock({ waitTime: scaled(25_000) });
    const successor = await topology.failOver(slotOf(services.prefix + name));
    // It sends its clients away, as a master does that does not have the slot.
    const meanwhile = holder.getLock(name).isLocked();
    await expect(meanwhile).rejects.toMatchObject({
      code: expect.stringMatching(/UNAVAILABLE|REJECTED_BY_REDIS/),
    });
    proxy.port = successor.address.port;
    proxy.cut();
    await until(
      'the holder is connected',
      async () =>
        await holder
          .getLock(name)
          .isLocked()
          .catch(() => false),
    );
    expect(await held.unlock()).toBe('released');
    await (await waits).unlock();
    await until('the replica has it, too', async () => (await services.keys()).length === 0);
    await proxy.close();
  },
  scaled(60_000),
);
