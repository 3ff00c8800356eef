import { expect, test } from 'vitest';
import { fairAcquire } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SLOWNESS } from '../support/slowness.js';
import { StoreLog } from '../support/store.log.js';
import { until } from '../support/until.js';
import { FairView } from './fair.view.js';
import { interopRows } from './interop.rows.js';
import { T } from './java.peer.js';
import { JavaTaker, NodeTaker, type Taker } from './takers.js';
import { timed } from './timed.js';

const stage = interopRows();

/** How late a moment may be noticed that nobody tells, in ms. */
const SLEEP_BOUND = 500 * SLOWNESS;
/** How often a process of ours looks after a queue that it waits in, in ms. */
const BEAT = 1000;
/** For how long a process of ours that is silent counts as alive, in ms. */
const LIFE = 3000;
/** For how long Redisson's fair lock stands in the queue where the caller sets no time, in ms (`fairLockWaitTimeout`). */
const JAVA_WAIT = 300_000;

const javaTaker = (name: string) => new JavaTaker(stage().java, 'fair', name);

test('F3 J gives up as the head after the lock was removed by hand, N next', async () => {
  const { notes, observer, port } = stage();
  const view = new FairView(observer, 'f3');
  const log = new StoreLog(observer.redis, port, 'f3');
  const [holder, leaving] = [javaTaker('f3'), javaTaker('f3')];
  const n = new NodeTaker(await stage().node(), 'fair', 'f3');
  await holder.take();
  const left = leaving.take(800);
  await view.grows(1);
  const waiting = n.take();
  await view.grows(2);
  await log.start();
  await stage().passed(600);
  await observer.redis.del('f3');
  expect((await left).value).toBe(false);
  const granted = await waiting;
  await log.stop();
  const late = granted.at - (await left).at;
  const asked = log.commands.filter(({ words }) => words[1] === fairAcquire.sha1).length;
  notes.push(
    `N granted ${late.toFixed(0)} ms after J had left; it had asked ${asked} times in all that time`,
  );
  expect(late).toBeLessThan(BEAT + SLEEP_BOUND);
  expect(asked).toBeLessThanOrEqual(5);
  await n.give();
});

test('F4 a waiter is killed as the head, the other side is behind', async () => {
  const { notes, observer } = stage();
  const wait = 2000;
  const lease = 1000;
  const [java, nodePeer, node] = await Promise.all([stage().javaPeer(), stage().nodePeer(), stage().node()]);
  const ask = (name: string, waitTime?: number) =>
    nodePeer.ask({ do: 'lock', kind: 'fair', name, waitTime }).catch(() => undefined);

  const scenes = [
    { who: 'J behind N', enter: () => ask('f4:nj', wait), name: 'f4:nj', behind: javaTaker('f4:nj') },
    {
      who: 'N behind J',
      enter: () => new JavaTaker(java, 'fair', 'f4:jn').take(wait).catch(() => undefined),
      name: 'f4:jn',
      behind: new NodeTaker(node, 'fair', 'f4:jn'),
    },
    {
      who: 'N behind N of another process',
      enter: () => ask('f4:nn'),
      name: 'f4:nn',
      behind: new NodeTaker(node, 'fair', 'f4:nn'),
    },
  ];
  const holders = scenes.map(({ name }) => stage().java.owner().lock('fair', name));
  await Promise.all(holders.map((holder) => holder.lock(lease)));
  const views = scenes.map(({ name }) => new FairView(observer, name));
  for (const { enter } of scenes) void enter();
  await Promise.all(views.map((view) => view.grows(1)));
  const waits = scenes.map(({ behind }) => behind.take());
  await Promise.all(views.map((view) => view.grows(2)));
  const killed = await timed(() => Promise.all([java.kill(), nodePeer.kill()]));
  // What they would have waited until; only ours can be known to be dead before.
  const times = await Promise.all(views.map((view) => view.times()));
  await Promise.all(holders.map((holder) => holder.unlock()));
  const granted = await Promise.all(waits);

  for (const [index, { who, behind }] of scenes.entries()) {
    const { at } = granted[index] ?? { at: NaN };
    const [time = NaN] = times[index] ?? [];
    const isOurs = who.startsWith('N behind N');
    const due = isOurs ? killed.from + LIFE : time;
    notes.push(
      `${who}: granted ${(at - killed.from).toFixed(0)} ms after its death, ${(at - due).toFixed(0)} ms after ${isOurs ? 'its process counted as dead' : 'its time'}`,
    );
    expect(at - due).toBeLessThan(SLEEP_BOUND);
    // The last sign of life of a process of ours may have been a beat ago.
    expect(at - due).toBeGreaterThan(isOurs ? -BEAT : -20);
    await behind.give();
  }
  // Java took the dead waiter of ours out of the queue, and knows nothing of our key about it. That ends
  // by itself: at the last time in the queue when the dead process last looked, and that may be Java's.
  const forgotten = suffixName('f4:nj', 'fair_waits');
  await until(
    'nothing else is left',
    async () => (await observer.leftovers()).every((left) => left === forgotten),
    LIFE,
  );
  const ttl = await observer.redis.pttl(forgotten);
  expect(ttl, 'neither for ever nor longer than anybody waits').not.toBe(-1);
  expect(ttl).toBeLessThan(lease + wait + JAVA_WAIT);
  if (ttl > 0) notes.push(`${forgotten} ends in ${ttl} ms`);
  await observer.redis.del(forgotten);
});

test('F5 J declares 300 s and N 5 s, 5 grants each: nobody is evicted, times stay bounded', async () => {
  const { observer, notes } = stage();
  const [rounds, wait, declared] = [5, 5000, 300_000];
  const view = new FairView(observer, 'f5');
  const node = await stage().node();
  const sides: Taker[] = [1, 2].flatMap(() => [javaTaker('f5'), new NodeTaker(node, 'fair', 'f5')]);
  let [granted, lowest, highest, longest] = [0, Infinity, -Infinity, 0];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const times = await view.times();
      for (const time of times) {
        lowest = Math.min(lowest, time - Date.now());
        highest = Math.max(highest, time - Date.now());
      }
      longest = Math.max(longest, times.length);
      await stage().passed(5);
    }
  })();
  await Promise.all(
    sides.map(async (taker) => {
      for (let round = 0; round < rounds; round += 1) {
        const { value } = await taker.take(taker.side === 'N' ? wait : undefined);
        expect(value).toBe(true);
        granted += 1;
        await stage().passed(50);
        await taker.give();
      }
    }),
  ).finally(() => over.abort());
  await watching;
  notes.push(
    `${granted} grants; up to ${longest} in the queue; times from ${(lowest / 1000).toFixed(1)} s to ${(highest / 1000).toFixed(1)} s ahead`,
  );
  expect(granted).toBe(sides.length * rounds);
  // Whoever stands in the queue has a time, and it is still to come.
  expect(lowest).toBeGreaterThan(0);
  expect(highest).toBeLessThan(T + 2 * (wait + declared));
});

test('F8 the clocks of N are 2 s ahead and 2 s behind: no waiter of J is evicted', async () => {
  const { observer, notes } = stage();
  const [wait, lease, nodeWait] = [1500, 1000, 10_000];
  const view = new FairView(observer, 'f8');
  const [ahead, behind] = await Promise.all([stage().nodePeer(2000), stage().nodePeer(-2000)]);
  const holder = stage().java.owner().lock('fair', 'f8');
  const [first, last] = [javaTaker('f8'), javaTaker('f8')];
  const ask = { do: 'lock', kind: 'fair', name: 'f8', waitTime: nodeWait } as const;
  await holder.lock(lease);
  const order: string[] = [];
  const waits = [
    async () => expect((await first.take(wait)).value).toBe(true),
    () => ahead.ask(ask),
    () => behind.ask(ask),
    () => last.take(),
  ];
  const taken: Promise<unknown>[] = [];
  for (const [index, enter] of waits.entries()) {
    taken.push(enter().then(() => order.push(`${index}`)));
    await view.grows(index + 1);
  }
  const [one = 0, two = 0, three = 0] = await view.times();
  notes.push(`N stands ${two - one} and ${three - two} ms behind the one in front, with a W of ${nodeWait}`);
  expect([two - one, three - two]).toEqual([nodeWait, nodeWait]);
  // By a clock that is 2 s ahead the time of the first waiter is over now.
  expect(one - Date.now()).toBeLessThan(2000 + lease);
  await stage().passed(Math.max(0, one - Date.now() - 1900));
  await holder.unlock();
  await taken[0];
  await first.give();
  for (const peer of [ahead, behind]) {
    const index = peer === ahead ? 1 : 2;
    await taken[index];
    const [holding = ''] = await observer.redis.hkeys('f8');
    await peer.ask({ do: 'unlock', holder: holding });
  }
  await taken[3];
  await last.give();
  expect(order).toEqual(['0', '1', '2', '3']);
});
