import { expect, test } from 'vitest';
import { readWriteChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SLOWNESS } from '../support/slowness.js';
import { until } from '../support/until.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { ReadWriteView } from './read-write.view.js';
import { expectPrompt } from './row.notes.js';
import { JavaTaker, NodeTaker } from './takers.js';
import { timed } from './timed.js';

const stage = interopRows();

const SIDES = ['J', 'N'] as const;
/** How late a moment may be noticed that nobody tells, in ms. */
const SLEEP_BOUND = 500 * SLOWNESS;

/** Waits until that many clients, and all their callers, sleep. */
async function asleep(name: string, clients = 1): Promise<void> {
  await stage().sleepers(name, clients, readWriteChannel(name));
  await stage().passed(100);
}

test('R1 J and N both read, and unlock in either order: the lock stays until the last one', async () => {
  const { observer, java } = stage();
  const node = await stage().node();
  for (const first of SIDES) {
    const name = `r1:${first}`;
    const view = new ReadWriteView(observer, name);
    const [j, n] = [new JavaTaker(java, 'read', name), new NodeTaker(node, 'read', name)];
    await j.take();
    await n.take();
    const holders = { J: await j.lock.holder(), N: n.handle.holder };
    const other = first === 'J' ? 'N' : 'J';
    expect(await view.fields()).toEqual({ mode: 'read', [holders.J]: '1', [holders.N]: '1' });
    const holds = [await view.hold(holders.J), await view.hold(holders.N)];

    await (first === 'J' ? j : n).give();
    // Java looks at nothing but the hold keys.
    expect(await view.fields()).toEqual({ mode: 'read', [holders[other]]: '1' });
    expect(Math.min(...holds)).toBeGreaterThan(0);
    expect(await view.hold(holders[first])).toBe(-2);
    expect(await view.hold(holders[other])).toBeGreaterThan(0);
    expect(await observer.heard(readWriteChannel(name))).toEqual([]);

    const last = await (first === 'J' ? n : j).give();
    expect(last.value).toBe(first === 'J' ? 'released' : '');
    expect(await view.ttl()).toBe(-2);
    expect(await observer.heard(readWriteChannel(name))).toEqual(['0']);
  }
});

test('R2 J reads, N reads, J unlocks, a writer of J waits: granted after the unlock of N only', async () => {
  const { java } = stage();
  const reader = new JavaTaker(java, 'read', 'r2');
  const n = new NodeTaker(await stage().node(), 'read', 'r2');
  const writer = new JavaTaker(java, 'write', 'r2');
  await reader.take();
  await n.take();
  let isGranted = false;
  const waiting = writer.take();
  void waiting.then(() => (isGranted = true));
  await asleep('r2');
  await reader.give();
  await stage().passed(300);
  expect(isGranted).toBe(false);
  expect(n.handle.isHeld).toBe(true);
  const released = await n.give();
  expect(released.value).toBe('released');
  expectPrompt(stage(), 'the writer of J', released, await waiting);
  await writer.give();
});

test('R3 N writes, 5 readers of J and 5 of N wait, N unlocks; then the same with J writing', async () => {
  const { observer, java } = stage();
  const node = await stage().node();
  for (const writes of SIDES) {
    const name = `r3:${writes}`;
    const [j, n] = [new JavaTaker(java, 'write', name), new NodeTaker(node, 'write', name)];
    const writer = writes === 'J' ? j : n;
    await writer.take();
    const readers = Array.from({ length: 5 }, () => [
      new JavaTaker(java, 'read', name),
      new NodeTaker(node, 'read', name),
    ]).flat();
    const waits = readers.map((reader) => reader.take());
    await asleep(name, 2);
    const released = await writer.give();
    const granted = await Promise.all(waits);
    for (const [index, grant] of granted.entries()) {
      expectPrompt(stage(), `a reader of ${readers[index]?.side} behind ${writes}`, released, grant);
    }
    expect(await observer.heard(readWriteChannel(name))).toEqual(['1']);
    expect(Object.keys(await new ReadWriteView(observer, name).fields())).toHaveLength(11);
    await Promise.all(readers.map((reader) => reader.give()));
  }
});

test('R4 N writes and reads and stops writing, a reader of J waits', async () => {
  const { java, observer } = stage();
  const lock = (await stage().node()).getReadWriteLock('r4');
  const write = await lock.writeLock().lock();
  const read = await write.run(() => lock.readLock().lock());
  const reader = new JavaTaker(java, 'read', 'r4');
  const waiting = reader.take();
  await asleep('r4');
  const downgraded = await timed(() => write.unlock());
  expectPrompt(stage(), 'the reader of J', downgraded, await waiting);
  expect(await observer.heard(readWriteChannel('r4'))).toEqual(['1']);
  expect((await new JavaTaker(java, 'write', 'r4').take(0)).value).toBe(false);
  expect(read.isHeld).toBe(true);
  await reader.give();
  expect(await read.unlock()).toBe('released');
});

test('R5 J writes and reads and stops writing, a reader of N waits', async () => {
  const { java, observer, notes } = stage();
  const owner = java.owner();
  const [write, read] = [owner.lock('write', 'r5'), owner.lock('read', 'r5')];
  await write.lock();
  await read.lock();
  const n = new NodeTaker(await stage().node(), 'read', 'r5');
  const waiting = n.take();
  await asleep('r5');
  const downgraded = await write.unlock();
  const granted = await waiting;
  notes.push(
    `N granted ${(granted.at - downgraded.from).toFixed(0)} ms after J's downgrade, which tells nobody`,
  );
  expect(await observer.heard(readWriteChannel('r5'))).toEqual([]);
  expect(granted.at - downgraded.from).toBeLessThan(T + SLEEP_BOUND);
  await n.give();
  await read.unlock();
});

test('R9 a partial write unlock of N with a longer read hold of its own', async () => {
  const { observer, notes } = stage();
  const view = new ReadWriteView(observer, 'r9');
  const lock = (await stage().node()).getReadWriteLock('r9');
  const outer = await lock.writeLock().lock();
  const inner = await outer.run(() => lock.writeLock().lock());
  const read = await outer.run(() => lock.readLock().lock({ leaseTime: 10 * T }));
  for (const { handle, outcome } of [
    { handle: inner, outcome: 'kept' },
    { handle: outer, outcome: 'released' },
  ]) {
    expect(await handle.unlock()).toBe(outcome);
    const [hash, hold] = [await view.ttl(), await view.hold(read.holder)];
    notes.push(
      `after the write unlock that said "${outcome}" the hash lives for ${hash} ms, the read hold for ${hold} ms`,
    );
    expect(hash).toBeGreaterThanOrEqual(hold);
    expect(hold).toBeGreaterThan(9 * T);
  }
  expect(await read.unlock()).toBe('released');
});

test('R10 unlocked by force across the sides: only the side that has it', async () => {
  const { java, observer } = stage();
  const node = await stage().node();
  const j = { read: java.owner().lock('read', 'r10:n'), write: java.owner().lock('write', 'r10:n') };
  const ours = node.getReadWriteLock('r10:j');
  const n = { read: ours.readLock(), write: ours.writeLock() };

  for (const [mode, other] of [['read', 'write'] as const, ['write', 'read'] as const]) {
    const payload = mode === 'read' ? '0' : '1';
    await observer.begin();
    const byNode = new NodeTaker(node, mode, 'r10:n');
    await byNode.take();
    expect((await j[other].forceUnlock()).value).toBe(false);
    expect(await observer.redis.hget('r10:n', 'mode')).toBe(mode);
    expect((await j[mode].forceUnlock()).value).toBe(true);
    expect(await observer.redis.exists('r10:n')).toBe(0);
    await until('N knows', () => byNode.handle.signal.aborted, T / 3 + 200);
    expect((await byNode.give()).value).toBe('lost');

    const byJava = new JavaTaker(java, mode, 'r10:j');
    await byJava.take();
    expect(await n[other].forceUnlock()).toBe(false);
    expect(await observer.redis.hget('r10:j', 'mode')).toBe(mode);
    expect(await n[mode].forceUnlock()).toBe(true);
    expect(await observer.redis.exists('r10:j')).toBe(0);
    expect(await observer.heard(readWriteChannel('r10:n'))).toEqual([payload]);
    expect(await observer.heard(readWriteChannel('r10:j'))).toEqual([payload]);
    await expect(byJava.give()).rejects.toThrow('IllegalMonitorStateException');
  }
  // Java leaves the hold keys of whom it threw out to their end.
  await until('the hold key has ended', async () => (await observer.leftovers()).length === 0, T);
});
