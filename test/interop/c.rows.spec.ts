import { expect, test } from 'vitest';
import { latchChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { interopRows } from './interop.rows.js';
import { expectPrompt } from './row.notes.js';
import { timed } from './timed.js';

const stage = interopRows();

const EACH = [1, 2, 3];

/** Three callers of each side wait for the latch `name`; resolves once they sleep. */
async function waiters(name: string) {
  const { java } = stage();
  const latch = (await stage().node()).getCountDownLatch(name);
  const byJava = EACH.map(() => java.owner().latch(name).await(10_000));
  const byNode = EACH.map(() => timed(() => latch.await({ waitTime: 10_000 })));
  await stage().sleepers(name, 2, latchChannel(name));
  await stage().passed(100);
  return { latch, byJava, byNode };
}

test('C1 J sets 3, N counts down 2, J 1, waiters on both sides: all go on once', async () => {
  const { java, observer } = stage();
  const j = java.owner().latch('c1');
  expect(await j.trySetCount(3)).toBe(true);
  const { latch, byJava, byNode } = await waiters('c1');
  expect(await latch.trySetCount(7)).toBe(false);
  await latch.countDown();
  await latch.countDown();
  expect([await j.getCount(), await latch.getCount()]).toEqual([1, 1]);
  await stage().passed(100);
  const opened = await j.countDown();
  for (const waiting of [...byJava, ...byNode]) {
    const open = await waiting;
    expect(open.value).toBe(true);
    expectPrompt(stage(), 'a waiter', opened, open);
  }
  expect(await observer.heard(latchChannel('c1'))).toEqual(['1', '0']);
  // The other way round: N sets, and its own count opens it.
  expect(await latch.trySetCount(1)).toBe(true);
  const again = java.owner().latch('c1').await(10_000);
  await stage().sleepers('c1', 1, latchChannel('c1'));
  const byOurs = await timed(() => latch.countDown());
  expectPrompt(stage(), 'a waiter of J behind N', byOurs, await again);
  expect(await latch.getCount()).toBe(0);
});

test('C2 N deletes the latch, waiters on both sides', async () => {
  const { java, observer } = stage();
  expect(await java.owner().latch('c2').trySetCount(3)).toBe(true);
  const { latch, byJava, byNode } = await waiters('c2');
  const deleted = await timed(() => latch.delete());
  expect(deleted.value).toBe(true);
  for (const waiting of [...byJava, ...byNode]) {
    const open = await waiting;
    expect(open.value).toBe(true);
    expectPrompt(stage(), 'a waiter', deleted, open);
  }
  expect(await observer.heard(latchChannel('c2'))).toEqual(['1', '0']);

  // Deleted by J the waiters of N go on, too: Java tells '1', and ours look again at whatever they are told.
  expect(await latch.trySetCount(2)).toBe(true);
  const waiting = timed(() => latch.await({ waitTime: 10_000 }));
  await stage().sleepers('c2', 1, latchChannel('c2'));
  const byJavaDeleted = await java.owner().latch('c2').delete();
  expectPrompt(stage(), 'N behind a delete of J', byJavaDeleted, await waiting);
});
