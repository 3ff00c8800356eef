import { expect, test } from 'vitest';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled, SLOWNESS } from '../support/slowness.js';
import { ClusterPlays } from './cluster.plays.js';
import { clusterRows } from './cluster.rows.js';
import { T } from './java.peer.js';
import { MonitoredCalls } from './monitored.calls.js';
import { timed } from './timed.js';

const stage = clusterRows();

/** How late a lease's end may be seen, in ms. */
const SLEEP_BOUND = 500 * SLOWNESS;

async function playAll(plays: ClusterPlays): Promise<void> {
  await plays.handsOver('J');
  await plays.handsOver('N');
  await plays.queues();
  await plays.readersWait('N');
  await plays.readersWait('J');
  await plays.permits();
}

test('K1 cluster, J AUTO, N auto: L1, L2, F1, R3, P1 on sharded channels', async () => {
  await playAll(new ClusterPlays(stage(), await stage().node({ pubsub: 'auto' }), 'sharded', 'k1'));
  expect(await stage().observer.channels('classic')).toEqual([]);
});

test('K2 cluster, J OFF, N classic: the same on classic channels; N in the wrong mode excludes, and waits for leases', async () => {
  await playAll(new ClusterPlays(stage(), await stage().node({ pubsub: 'classic' }), 'classic', 'k2'));
  const wrong = await stage().node({ pubsub: 'sharded' });
  const lease = 1500;
  const j = stage().owner('classic').lock('reentrant', 'k2:wrong:j');
  await j.lock(lease);
  expect(await wrong.getLock('k2:wrong:j').tryLock()).toBeNull();
  const asked = timed(() => wrong.getLock('k2:wrong:j').lock());
  await stage().sleepers('sharded', lockChannel('k2:wrong:j'));
  const released = await j.unlock();
  const granted = await asked;
  expect(granted.at - granted.from).toBeLessThan(lease + SLEEP_BOUND);
  stage().notes.push(
    `N in the wrong mode: granted ${(granted.at - released.from).toFixed(0)} ms after the release`,
  );
  await granted.value.unlock();
});

test(
  'K3 a slot moves, then its master dies, while N waits; J releases after that',
  async () => {
    const { observer } = stage();
    const { topology } = observer;
    const node = await stage().node();
    const changes = [
      [
        'the slot moved',
        async (slot: number) => await topology.migrateSlot(slot, await observer.otherMaster('k3:0')),
      ],
      ['the master was replaced in order', async (slot: number) => void (await topology.failOver(slot))],
      [
        'the master died',
        async (slot: number) => void (await topology.succeeded(slot, await topology.killMaster(slot))),
      ],
    ] as const;
    for (const [index, [what, change]] of changes.entries()) {
      const name = `k3:${index}`;
      const slot = slotOf(name);
      const j = stage().owner('sharded').lock('reentrant', name);
      await j.lock(60_000);
      const waiting = timed(() => node.getLock(name).lock());
      await stage().sleepers('sharded', lockChannel(name));
      await change(slot);
      expect(await observer.redis.exists(name)).toBe(1);
      await stage().sleepers('sharded', lockChannel(name));
      const released = await j.unlockInTheEnd((problem) =>
        stage().notes.push(`after ${what}: J tries the release again, after ${problem}`),
      );
      const granted = await waiting;
      // J may need a while to find the new master, and N cannot hear of the release before that.
      const took = granted.at - released.at;
      const asked = released.at - released.from;
      stage().notes.push(
        `after ${what}: the release of J took ${asked.toFixed(0)} ms, N was granted ${took.toFixed(0)} ms after it`,
      );
      expect(took).toBeLessThan(T + SLEEP_BOUND);
      expect(await granted.value.unlock()).toBe('released');
    }
    const dead = topology.servers.find(({ isAlive }) => !isAlive);
    if (dead !== undefined) await topology.restart(dead);
  },
  scaled(40_000),
);

test(
  'K4 one N renews 250 names and awaits 1000 names that J holds',
  async () => {
    const { observer, notes } = stage();
    const node = await stage().node();
    // Most of them in one slot, so that they could travel in one script; the others in slots of all nodes.
    const own = Array.from({ length: 250 }, (_, index) =>
      index < 150 ? `{k4}:own:${index}` : `k4:own:${index}`,
    );
    const others = Array.from({ length: 1000 }, (_, index) => `k4:awaited:${index}`);
    const owners = Array.from({ length: 20 }, () => stage().owner('sharded'));
    const locks = others.map((name, index) => owners[index % owners.length]?.lock('reentrant', name));
    const held = await Promise.all(own.map((name) => node.getLock(name).lock()));
    await Promise.all(locks.map((lock) => lock?.lock(60_000)));
    const granted = Promise.all(others.map((name) => node.getLock(name).lock({ waitTime: scaled(20_000) })));
    // It may fail before anybody awaits it.
    granted.catch(() => undefined);
    const listening = async () => (await observer.channels('sharded')).length;
    const begun = performance.now();
    while ((await listening()) < others.length) {
      if (performance.now() - begun > scaled(8000)) throw new Error(`${await listening()} of 1000 channels`);
      await stage().passed(50);
    }
    const calls = await MonitoredCalls.of(await observer.topology.masters());
    await stage().passed(T / 2);
    const renewals = await calls.end();
    expect(held.every((handle) => handle.isHeld)).toBe(true);
    const from = performance.now();
    await Promise.all(locks.map((lock) => lock?.unlock()));
    const handles = await granted;
    notes.push(
      `1000 names released by J and granted to N within ${(performance.now() - from).toFixed(0)} ms`,
    );
    notes.push(
      `renewals of ${renewals.names} names in ${renewals.scripts} scripts, of at most ${renewals.most} names`,
    );
    expect(renewals.most).toBeGreaterThan(10);
    expect(renewals.most).toBeLessThanOrEqual(100);
    expect(renewals.names).toBeGreaterThanOrEqual(250);
    const outcomes = await Promise.all([...handles, ...held].map((handle) => handle.unlock()));
    expect(new Set(outcomes)).toEqual(new Set(['released']));
    const errors = await Promise.all(observer.topology.servers.map(({ admin }) => admin.info('errorstats')));
    expect(errors.join('\n')).not.toContain('CROSSSLOT');
  },
  scaled(40_000),
);
