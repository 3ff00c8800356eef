import { expect, test } from 'vitest';
import { readWriteChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { ReadWriteView } from './read-write.view.js';
import { expectPrompt } from './row.notes.js';
import { JavaTaker, NodeTaker } from './takers.js';

const stage = interopRows();

test('R6 N reads with a fixed lease of 10T, J reads on its watchdog and is killed', async () => {
  const { java, observer, notes } = stage();
  const [peer, node] = await Promise.all([stage().javaPeer(), stage().node()]);
  const view = new ReadWriteView(observer, 'r6');
  const lock = node.getReadWriteLock('r6').readLock();
  const handle = await lock.lock({ leaseTime: 10 * T });
  await new JavaTaker(peer, 'read', 'r6').take();
  // J's watchdog ticks, which sets the lease of all to T.
  await stage().passed(T / 2);
  await peer.kill();
  const killed = performance.now();
  let lowest = Infinity;
  while (performance.now() - killed < 2 * T) {
    lowest = Math.min(lowest, await view.ttl());
    await stage().passed(20);
  }
  notes.push(`the hash never had less than ${lowest} ms; the hold has ${await view.hold(handle.holder)} ms`);
  expect(handle.isHeld).toBe(true);
  expect(await view.fields()).toMatchObject({ mode: 'read', [handle.holder]: '1' });
  expect((await new JavaTaker(java, 'write', 'r6').take(0)).value).toBe(false);
  expect((await new NodeTaker(await stage().node(), 'write', 'r6').take(0)).value).toBe(false);
  expect(lowest).toBeGreaterThan(0);
  expect(await handle.unlock()).toBe('released');
  expect(await view.fields()).toEqual({});
});

test('R7 a reader is killed, the other side reads on for longer than T and unlocks, a writer waits', async () => {
  const { java, observer } = stage();
  const [peer, nodePeer, node] = await Promise.all([stage().javaPeer(), stage().nodePeer(), stage().node()]);
  const scenes = [
    {
      dead: async () => await new JavaTaker(peer, 'read', 'r7:j').take(),
      reader: new NodeTaker(node, 'read', 'r7:j'),
      writer: new JavaTaker(java, 'write', 'r7:j'),
      name: 'r7:j',
    },
    {
      dead: () => nodePeer.ask({ do: 'lock', kind: 'read', name: 'r7:n' }),
      reader: new JavaTaker(java, 'read', 'r7:n'),
      writer: new NodeTaker(node, 'write', 'r7:n'),
      name: 'r7:n',
    },
  ];
  for (const { dead, reader } of scenes) {
    await dead();
    await reader.take();
  }
  await Promise.all([peer.kill(), nodePeer.kill()]);
  const waits = scenes.map(({ writer }) => writer.take());
  await Promise.all(scenes.map(({ name }) => stage().sleepers(name, 1, readWriteChannel(name))));
  await stage().passed(T + 500);
  for (const [index, { reader, writer, name }] of scenes.entries()) {
    // Its field is still there: nobody takes out what others wrote.
    expect(Object.keys(await new ReadWriteView(observer, name).fields())).toHaveLength(3);
    const released = await reader.give();
    const granted = await waits[index];
    if (granted === undefined) throw new Error('nobody waits');
    expectPrompt(stage(), `the writer of ${writer.side}`, released, granted);
    expect(Object.keys(await new ReadWriteView(observer, name).fields())).toHaveLength(2);
    await writer.give();
  }
});

test('R8 N writes and reads, stops reading, and writes on for 3T', async () => {
  const { java, observer, notes } = stage();
  const view = new ReadWriteView(observer, 'r8');
  const lock = (await stage().node()).getReadWriteLock('r8');
  const write = await lock.writeLock().lock();
  const read = await write.run(() => lock.readLock().lock());
  expect(await read.unlock()).toBe('released');
  const [writer, reader] = [new JavaTaker(java, 'write', 'r8'), new JavaTaker(java, 'read', 'r8')];
  const end = performance.now() + 3 * T;
  let lowest = Infinity;
  while (performance.now() < end) {
    expect((await writer.take(0)).value).toBe(false);
    expect((await reader.take(0)).value).toBe(false);
    lowest = Math.min(lowest, await view.ttl());
    await stage().passed(20);
  }
  notes.push(`the lowest lease was ${lowest} ms of ${T}`);
  expect(lowest).toBeGreaterThan(T / 2);
  expect(write.isHeld).toBe(true);
  expect(await view.fields()).toEqual({ mode: 'write', [`${write.holder}:write`]: '1' });
  expect(await write.unlock()).toBe('released');
});
