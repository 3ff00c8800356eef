import { expect, test } from 'vitest';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SLOWNESS } from '../support/slowness.js';
import { until } from '../support/until.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { expectPrompt } from './row.notes.js';
import { timed } from './timed.js';

const stage = interopRows();

/** How late a lease's end may be seen, in ms: the floor of section 5 and its jitter, and a timer of a busy machine. */
const SLEEP_BOUND = 500 * SLOWNESS;

test('L1 J holds, N waits, J unlocks', async () => {
  const j = stage().java.owner().lock('reentrant', 'l1');
  const n = (await stage().node()).getLock('l1');
  await j.lock();
  const waiting = timed(() => n.lock());
  await stage().sleepers('l1');
  const released = await j.unlock();
  const granted = await waiting;
  expectPrompt(stage(), 'N', released, granted);
  expect(await stage().observer.heard(lockChannel('l1'))).toEqual(['0']);
  expect(await granted.value.unlock()).toBe('released');
});

test('L2 N holds, J waits, N unlocks', async () => {
  const j = stage().java.owner().lock('reentrant', 'l2');
  const held = await (await stage().node()).getLock('l2').lock();
  const waiting = j.lock();
  await stage().sleepers('l2');
  const released = await timed(() => held.unlock());
  expectPrompt(stage(), 'J', released, await waiting);
  expect(await stage().observer.heard(lockChannel('l2'))).toEqual(['0']);
  await j.unlock();
});

test('L3 the watchdog of J keeps a lock for 3T against N, and the reverse', async () => {
  const { java, observer } = stage();
  const node = await stage().node();
  const [byJava, other] = [java.owner().lock('reentrant', 'l3:j'), java.owner().lock('reentrant', 'l3:n')];
  await byJava.lock();
  const byNode = await node.getLock('l3:n').lock();
  const end = performance.now() + 3 * T;
  let lowest = Infinity;
  let asked = 0;
  while (performance.now() < end) {
    expect(await node.getLock('l3:j').tryLock()).toBeNull();
    expect((await other.tryLock()).value).toBe(false);
    const left = await Promise.all([observer.redis.pttl('l3:j'), observer.redis.pttl('l3:n')]);
    lowest = Math.min(lowest, ...left);
    asked += 1;
    await stage().passed(20);
  }
  stage().notes.push(`asked ${asked} times on either side; the lowest lease was ${lowest} ms of ${T}`);
  expect(lowest).toBeGreaterThan(T / 2);
  expect(byNode.isHeld).toBe(true);
  await byJava.unlock();
  expect(await byNode.unlock()).toBe('released');
});

test('L4 the holder is killed, the other side waits; both directions', async () => {
  const node = await stage().node();
  const [java, nodePeer] = await Promise.all([stage().javaPeer(), stage().nodePeer()]);
  await java.owner().lock('reentrant', 'l4:j').lock();
  await nodePeer.ask({ do: 'lock', kind: 'reentrant', name: 'l4:n' });
  const n = timed(() => node.getLock('l4:j').lock());
  const waiter = stage().java.owner().lock('reentrant', 'l4:n');
  const j = waiter.lock();
  await Promise.all([stage().sleepers('l4:j'), stage().sleepers('l4:n')]);
  const killed = await timed(() => Promise.all([java.kill(), nodePeer.kill()]));
  const [byNode, byJava] = await Promise.all([n, j]);
  for (const [side, { at }] of [['N', byNode] as const, ['J', byJava] as const]) {
    stage().notes.push(
      `${side} granted ${(at - killed.from).toFixed(0)} ms after the holder's death; T is ${T}`,
    );
    expect(at - killed.from).toBeLessThan(T + SLEEP_BOUND);
  }
  expect(await byNode.value.unlock()).toBe('released');
  await waiter.unlock();
});

test('L5 a fixed lease ends while the other side waits; the late unlock changes nothing', async () => {
  const lease = 1000;
  const node = await stage().node();
  const [first, second] = [
    stage().java.owner().lock('reentrant', 'l5:j'),
    stage().java.owner().lock('reentrant', 'l5:n'),
  ];

  const begun = await first.lock(lease);
  const byNode = await timed(() => node.getLock('l5:j').lock());
  expect(byNode.at - begun.at).toBeGreaterThan(lease - 50);
  expect(byNode.at - begun.at).toBeLessThan(lease + SLEEP_BOUND);
  await expect(first.unlock()).rejects.toThrow('IllegalMonitorStateException');
  expect(await stage().observer.redis.hgetall('l5:j')).toEqual({ [byNode.value.holder]: '1' });
  expect(await byNode.value.unlock()).toBe('released');

  const late = await timed(() => node.getLock('l5:n').lock({ leaseTime: lease }));
  const byJava = await second.lock();
  expect(byJava.at - late.at).toBeGreaterThan(lease - 50);
  expect(byJava.at - late.at).toBeLessThan(lease + SLEEP_BOUND);
  expect(await late.value.unlock()).toBe('lost');
  expect(await stage().observer.redis.hgetall('l5:n')).toEqual({ [await second.holder()]: '1' });
  await second.unlock();
  const after = [byNode.at - begun.at, byJava.at - late.at].map((ms) => ms.toFixed(0));
  stage().notes.push(
    `N granted ${after[0]} ms, J ${after[1]} ms after the other's grant with a lease of ${lease}`,
  );
});

test('L6 N holds with count 3, J reads the lock; two partial unlocks wake nobody', async () => {
  const j = stage().java.owner().lock('reentrant', 'l6');
  const lock = (await stage().node()).getLock('l6');
  const outer = await lock.lock();
  const middle = await outer.run(() => lock.lock());
  const inner = await outer.run(() => lock.lock());
  expect(await j.isLocked()).toBe(true);
  expect(await j.ttl()).toBeGreaterThan(T / 2);
  expect(await j.ttl()).toBeLessThanOrEqual(T);
  expect(await j.isHeld()).toBe(false);
  expect(await j.holdCount()).toBe(0);
  expect(await stage().observer.redis.hgetall('l6')).toEqual({ [outer.holder]: '3' });
  const waiting = j.lock();
  await stage().sleepers('l6');
  expect([await inner.unlock(), await middle.unlock()]).toEqual(['kept', 'kept']);
  expect(await stage().observer.heard(lockChannel('l6'))).toEqual([]);
  expect(await stage().observer.redis.hgetall('l6')).toEqual({ [outer.holder]: '1' });
  const released = await timed(() => outer.unlock());
  expectPrompt(stage(), 'J', released, await waiting);
  expect(await stage().observer.heard(lockChannel('l6'))).toEqual(['0']);
  await j.unlock();
});

test('L7 J holds with count 2, N waits: granted after the second unlock only', async () => {
  const j = stage().java.owner().lock('reentrant', 'l7');
  await j.lock();
  await j.lock();
  let isGranted = false;
  const waiting = timed(async () => await (await stage().node()).getLock('l7').lock());
  void waiting.then(() => (isGranted = true));
  await stage().sleepers('l7');
  await j.unlock();
  expect(await j.holdCount()).toBe(1);
  await stage().passed(300);
  expect(isGranted).toBe(false);
  const released = await j.unlock();
  const granted = await waiting;
  expectPrompt(stage(), 'N', released, granted);
  expect(await stage().observer.heard(lockChannel('l7'))).toEqual(['0']);
  await granted.value.unlock();
});

test('L8 unlocked by force from the other side, both directions, a third party waits', async () => {
  const { java } = stage();
  await java.connect('third', stage().url);
  const [node, third] = await Promise.all([stage().node(), stage().node()]);

  const byJava = java.owner().lock('reentrant', 'l8:j');
  await byJava.lock();
  const nodeWaits = timed(() => third.getLock('l8:j').lock());
  await stage().sleepers('l8:j');
  const forced = await timed(() => node.getLock('l8:j').forceUnlock());
  expect(forced.value).toBe(true);
  const nodeGot = await nodeWaits;
  expectPrompt(stage(), 'N', forced, nodeGot);
  await expect(byJava.unlock()).rejects.toThrow('IllegalMonitorStateException');

  const byNode = await node.getLock('l8:n').lock();
  const waiter = java.owner('third').lock('reentrant', 'l8:n');
  const javaWaits = waiter.lock();
  await stage().sleepers('l8:n');
  const forcedByJava = await java.owner().lock('reentrant', 'l8:n').forceUnlock();
  expect(forcedByJava.value).toBe(true);
  expectPrompt(stage(), 'J', forcedByJava, await javaWaits);

  // The watchdogs find out at their next tick, a third of T later, and renew nothing of the new holders from then on.
  await until('N knows that it lost its lock', () => byNode.signal.aborted, T / 3);
  expect(await byNode.unlock()).toBe('lost');
  await stage().observer.redis.pexpire('l8:j', 10 * T);
  await stage().passed(T / 3 + 100);
  expect(await stage().observer.redis.hgetall('l8:j')).toEqual({ [nodeGot.value.holder]: '1' });
  expect(await nodeGot.value.unlock()).toBe('released');
  await waiter.unlock();
  await java.disconnect('third');
});

test('L9 a try that waits for 1 s is refused after 1.0 to 1.2 s, both directions', async () => {
  const node = await stage().node();
  const byJava = stage().java.owner().lock('reentrant', 'l9:j');
  const waiter = stage().java.owner().lock('reentrant', 'l9:n');
  await byJava.lock();
  const byNode = await node.getLock('l9:n').lock();
  const [n, j] = await Promise.all([
    timed(() => node.getLock('l9:j').tryLock({ waitTime: 1000 })),
    waiter.tryLock(1000),
  ]);
  expect(n.value).toBeNull();
  expect(j.value).toBe(false);
  for (const { from, at } of [n, j]) {
    expect(at - from).toBeGreaterThanOrEqual(999);
    expect(at - from).toBeLessThan(1000 + 200 * SLOWNESS);
  }
  stage().notes.push(
    `N refused after ${(n.at - n.from).toFixed(0)} ms, J after ${(j.at - j.from).toFixed(0)} ms`,
  );
  await byJava.unlock();
  await byNode.unlock();
});
