import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { lockChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { cutAfter, holdSubscription } from '../support/faults/ambush.js';
import { Random } from '../support/random.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { lockLoop, type CounterStore } from '../workers/interop/lock.loop.js';
import { interopRows, LONG } from './interop.rows.js';
import { overlaps } from './lock.sections.js';
import type { Observer } from './observer.js';
import { expectPrompt } from './row.notes.js';
import { portOf } from './row.stage.js';
import { timed } from './timed.js';

const stage = interopRows();

const OWNERS = 8;
const LOOPS = 500;
const EACH = Array.from({ length: OWNERS }, (_, index) => index);

/** Owners of both sides add to one counter under one lock. */
async function expectExactCount(node: LockService, store: CounterStore, name: string): Promise<void> {
  const { java, notes, observer } = stage();
  const counter = `counter:${name}`;
  const started = performance.now();
  const [byJava, byNode] = await Promise.all([
    Promise.all(EACH.map(() => java.owner().lock('reentrant', name).loop(counter, { times: LOOPS }))),
    Promise.all(EACH.map(() => lockLoop(node.getLock(name), store, counter, (done) => done < LOOPS))),
  ]);
  const took = performance.now() - started;
  const sections = [...byJava, ...byNode].flat();
  notes.push(`${sections.length} sections, ${((took / sections.length) * 1000).toFixed(0)} µs each`);
  expect(await observer.redis.get(counter)).toBe(`${2 * OWNERS * LOOPS}`);
  expect(sections).toHaveLength(2 * OWNERS * LOOPS);
  expect(overlaps(sections)).toBe(0);
}

test('L10 8 owners of J and 8 of N, 500 times lock, counter++, unlock', LONG, async () => {
  await expectExactCount(await stage().node(), stage().observer.redis, 'l10');
});

test('L11 the same, with the connections of N cut at random moments', LONG, async () => {
  const wire = await TcpProxy.open(stage().port);
  const store = new Redis(stage().url);
  const random = new Random();
  const over = new AbortController();
  try {
    const node = await stage().node({}, wire.url);
    let doubled = 0;
    // Whoever reads the counter is inside: Redis must count one hold for it.
    const watched: CounterStore = {
      get: async (key) => {
        const counts = await store.hvals('l11');
        if (counts.length !== 1 || counts[0] !== '1') doubled += 1;
        return await store.get(key);
      },
      set: (key, value) => store.set(key, value),
    };
    const cutting = cutNowAndThen(wire, random, over.signal);
    await expectExactCount(node, watched, 'l11');
    over.abort();
    await cutting;
    stage().notes.push(`${wire.cuts} connections cut; seed ${random.seed}`);
    expect(doubled).toBe(0);
    expect(wire.cuts).toBeGreaterThan(5);
    await stage().quiet();
  } finally {
    over.abort();
    store.disconnect();
    await wire.close();
  }
});

async function cutNowAndThen(wire: TcpProxy, random: Random, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await stage().passed(20 + random.below(180));
    wire.cut();
  }
}

test('L12 the subscriber of N is cut while it waits; J unlocks in the gap', async () => {
  const { observer, java } = stage();
  const wire = await TcpProxy.open(stage().port);
  try {
    const connectionName = 'l12';
    const node = await stage().node({}, { host: '127.0.0.1', port: portOf(wire.url), connectionName });
    const j = java.owner().lock('reentrant', 'l12');
    await j.lock();
    const waiting = timed(() => node.getLock('l12').lock());
    await stage().sleepers('l12');
    const gap = holdSubscription(wire);
    await killClient(observer.redis, `${connectionName}:subscriber`);
    await gap.caught;
    await j.unlock();
    expect(await observer.redis.exists('l12')).toBe(0);
    const back = await timed(() => Promise.resolve(gap.letGo()));
    const granted = await waiting;
    expectPrompt(stage(), 'N, from its return to the channel on,', back, granted);
    await granted.value.unlock();
    await stage().quiet();
  } finally {
    await wire.close();
  }
});

test('L13 an unlock of N sent twice; J acquired in between', async () => {
  const wire = await TcpProxy.open(stage().port);
  try {
    const node = await stage().node({}, wire.url);
    const j = stage().java.owner().lock('reentrant', 'l13');
    const handle = await node.getLock('l13').lock();
    const waiting = j.lock();
    await stage().sleepers('l13');
    const lost = cutAfter(wire, 'release');
    const first = handle.unlock();
    expect((await lost).holder).toBe(handle.holder);
    await waiting;
    // The answer was lost, so it is sent again: it finds nothing, and tells what the first one did.
    expect(await first).toBe('released');
    expect(await handle.unlock()).toBe('released');
    expect(await stage().observer.redis.hgetall('l13')).toEqual({ [await j.holder()]: '1' });
    await j.unlock();
    await stage().quiet();
  } finally {
    await wire.close();
  }
});

/** Closes the connection of that name, as a firewall would. */
async function killClient(redis: Redis, name: string): Promise<void> {
  const list = String(await redis.client('LIST'));
  const line = list.split('\n').find((client) => client.includes(` name=${name} `));
  const id = /^id=(\d+) /.exec(line ?? '')?.[1];
  if (id === undefined) throw new Error(`no connection is called ${name}`);
  await redis.client('KILL', 'ID', id);
}

/** What there is for the other side while one holds and the other sleeps: one key, and one channel. Processes of N have a queue beside, and a channel each. */
async function seen(observer: Observer, key: string): Promise<string[]> {
  await until('somebody listens', async () => (await observer.channels()).length > 0);
  const keys = (await observer.keys()).filter((one) => one !== suffixName(key, 'waiting'));
  expect(keys).toEqual([key]);
  const channels = (await observer.channels()).filter((channel) => !OF_A_PROCESS.test(channel));
  expect(channels).toHaveLength(1);
  return [...keys, ...channels];
}

/** The channel of a lock, and the uuid of a client. */
const OF_A_PROCESS = /:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const NAMES = ['a', '{t}:n', 'x}y', 'a{b', 'Bestellung Ä/ß 注文 🔒'];

test('L14 plain, tagged, mapped and non-ASCII names: one key, one channel', async () => {
  const { java, observer } = stage();
  const prefix = 'it:';
  await java.connect('mapped', stage().url, { prefix });
  const sides = [
    { node: await stage().node(), owner: () => java.owner(), key: (name: string) => name },
    {
      node: await stage().node({ nameMapper: (name) => prefix + name }),
      owner: () => java.owner('mapped'),
      key: (name: string) => prefix + name,
    },
  ];
  for (const { node, owner, key } of sides) {
    for (const name of NAMES) {
      const j = owner().lock('reentrant', name);
      await j.lock();
      const n = timed(() => node.getLock(name).lock());
      const asNodeWaits = await seen(observer, key(name));
      const freedByJava = await j.unlock();
      const granted = await n;
      expectPrompt(stage(), `N on ${key(name)}`, freedByJava, granted);
      const waiting = j.lock();
      const both = async () => (await observer.listeners(lockChannel(key(name)))) > 1;
      await until('J listens beside N', both);
      const asJavaWaits = await seen(observer, key(name));
      const freedByNode = await timed(() => granted.value.unlock());
      expectPrompt(stage(), `J on ${key(name)}`, freedByNode, await waiting);
      await j.unlock();
      expect(asNodeWaits).toEqual(asJavaWaits);
      await until('nobody listens', async () => (await observer.channels()).length === 0);
    }
  }
  await java.disconnect('mapped');
});
