import { expect, test } from 'vitest';
import { until } from '../support/until.js';
import { FairView } from './fair.view.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { expectPrompt } from './row.notes.js';
import { JavaTaker, NodeTaker, type Taker } from './takers.js';
import { timed, type Timed } from './timed.js';

const stage = interopRows();

/** What a waiter of Java declares that says nothing. */
const DEFAULT_WAIT = 300_000;

const javaTaker = (name: string) => new JavaTaker(stage().java, 'fair', name);

/** Waits for its turn, stays inside for `ms`, and leaves. */
async function turn(
  taker: Taker,
  ms: number,
): Promise<{ granted: Timed<boolean>; released: Timed<unknown> }> {
  const granted = await taker.take();
  await stage().passed(ms);
  return { granted, released: await taker.give() };
}

test('F1 a queue of J1, N1, J2, N2, 10 ms apart, each holds for 100 ms: granted in that order', async () => {
  // With a lease longer than that of a gift, N takes gifts, and hands the lock on to its next one by the answer of a release.
  const queues = [
    { name: 'f1', order: 'JNJN', node: await stage().node() },
    { name: 'f1:gifts', order: 'JNNJN', node: await stage().node({ lockWatchdogTimeout: T + 1000 }) },
  ];
  for (const { name, order, node } of queues) {
    const view = new FairView(stage().observer, name);
    const holder = javaTaker(name);
    await holder.take();
    const line: Taker[] = [...order].map((side) =>
      side === 'J' ? javaTaker(name) : new NodeTaker(node, 'fair', name),
    );
    const turns: ReturnType<typeof turn>[] = [];
    for (const taker of line) {
      turns.push(turn(taker, 100));
      await view.grows(turns.length);
      await stage().passed(10);
    }
    let before: Timed<unknown> = await holder.give();
    for (const [index, { granted, released }] of (await Promise.all(turns)).entries()) {
      expectPrompt(stage(), `${name}: ${line[index]?.side} in place ${index + 1}`, before, granted);
      before = released;
    }
  }
});

const LEAVING = 800;
/** How the head of a queue goes; what is returned is when it was told to. */
const EXITS = [
  { how: 'by its timeout', leave: (from: number) => ({ from: from + LEAVING }) },
  {
    how: 'cancelled',
    leave: (_: number, abort: AbortController) => {
      abort.abort(new Error('cancelled'));
      return { from: Date.now() };
    },
  },
];

async function expectTime(view: FairView, time: number): Promise<void> {
  await view.grows(1);
  expect(await view.times()).toEqual([time]);
}

test('F2 N gives up as the head, J behind; the lock is still held, or was removed by hand', async () => {
  const { observer, notes } = stage();
  const node = await stage().node();
  for (const { how, leave } of EXITS) {
    for (const isHeld of [true, false]) {
      const name = `f2:${how}:${isHeld}`;
      const view = new FairView(observer, name);
      const [holder, behind] = [javaTaker(name), javaTaker(name)];
      await holder.take();
      const abort = new AbortController();
      const { signal } = abort;
      const leaving = timed(() =>
        node
          .getFairLock(name)
          .tryLock({ waitTime: LEAVING, signal })
          .catch((error: Error) => error.message),
      );
      const started = Date.now();
      await view.grows(1);
      const waiting = behind.take();
      await view.grows(2);
      const [, time = 0] = await view.times();
      if (!isHeld) {
        await stage().passed(LEAVING - 100 - (Date.now() - started));
        await observer.redis.del(name);
      }
      const left = leave(started, abort);
      expect((await leaving).value).toBe(how === 'cancelled' ? 'cancelled' : null);
      // Behind it the times fall by what N declared, and by nothing else.
      const released = isHeld ? await expectTime(view, time - LEAVING).then(() => holder.give()) : left;
      const what = `J behind N that left ${how}, lock ${isHeld ? 'held' : 'removed'},`;
      expectPrompt(stage(), what, released, await waiting);
      await behind.give();
    }
  }
  notes.push(`W of N was ${LEAVING}, of J ${DEFAULT_WAIT}`);
});

test('F6 the lock was removed, its holder unlocks late, the other side waits', async () => {
  const { java, observer } = stage();
  const node = await stage().node();
  for (const isJava of [true, false]) {
    const name = `f6:${isJava ? 'j' : 'n'}`;
    const view = new FairView(observer, name);
    const [j, n] = [new JavaTaker(java, 'fair', name), new NodeTaker(node, 'fair', name)];
    const [holder, waiter] = isJava ? [j, n] : [n, j];
    await holder.take();
    const waiting = waiter.take();
    await view.grows(1);
    await stage().passed(50);
    await observer.redis.del(name);
    // Redisson does not raise; ours says that it was lost.
    const released = await holder.give();
    expect(released.value).toBe(isJava ? '' : 'lost');
    expectPrompt(stage(), waiter.side, released, await waiting);
    await waiter.give();
  }
});

test('F7 somebody without a time stands in front: N puts it right, and J goes on', async () => {
  const { observer, notes } = stage();
  const view = new FairView(observer, 'f7');
  const node = await stage().node();
  const [holder, j] = [javaTaker('f7'), javaTaker('f7')];
  await holder.take();
  const waiting = j.take();
  await view.grows(1);
  await view.haunt('ghost:1');
  const n = new NodeTaker(node, 'fair', 'f7');
  const behind = n.take();
  await until('N has put it right', async () => !(await view.queue()).includes('ghost:1'));
  await view.grows(2);
  const released = await holder.give();
  expectPrompt(stage(), 'J', released, await waiting);

  // And while N sleeps: it finds out at its next beat, and J has slept all the time.
  await view.haunt('ghost:2');
  const next = await j.give();
  const granted = await behind;
  notes.push(`N granted ${(granted.at - next.from).toFixed(0)} ms after a release that a ghost heard of`);
  expect(granted.at - next.from).toBeLessThan(1000 + 500);
  await n.give();
});
