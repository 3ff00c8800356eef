import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { holdSubscription } from '../support/faults/ambush.js';
import { operationsOf } from '../support/faults/script.calls.js';
import { Gate } from '../locks/gate.js';
import { endOf } from '../locks/lateness.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { passed, QuorumStage, unlockAll } from './quorum.stage.js';

const ALL = [0, 1, 2, 3, 4];

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const openMany = (count: number) => Promise.all(Array.from({ length: count }, () => stage.openAll()));

/** How many scripts the servers have run. */
async function scripts(): Promise<number> {
  const stats = await Promise.all(stage.seats.map(({ admin }) => admin.info('commandstats')));
  return stats.reduce((sum, text) => sum + Number(/cmdstat_evalsha:calls=(\d+)/.exec(text)?.[1] ?? 0), 0);
}

/** Nobody asks anything for longer than any pause but the last. */
async function untilQuiet(): Promise<void> {
  await until('nobody polls', async () => {
    const before = await scripts();
    await passed(700);
    return (await scripts()) === before;
  });
}

describe('a waiter for a red lock', () => {
  test('is woken by the release, and does not poll', async () => {
    const [holder, ...others] = await openMany(4);
    const held = await holder?.getRedLock('x').lock();
    const waiting = others.map((service) => service.getRedLock('x').lock());
    await stage.untilAsleep('x', 3);
    await untilQuiet();
    const start = performance.now();
    await held?.unlock();
    expect(await unlockAll(waiting)).toEqual(['released', 'released', 'released']);
    // Three hand-overs in all, where a poll would come after 10 s.
    expect(performance.now() - start).toBeLessThan(scaled(500));
    await stage.expectNothingLeft();
  });

  test('misses no release that comes before the servers know that it listens', async () => {
    const ways: TcpProxy[] = [];
    for (const number of ALL) ways.push(await stage.proxy(number));
    const service = await stage.openAll({ commandTimeout: '5s' }, { ...ways });
    const other = await stage.openAll();
    const held = await other.getRedLock('x').lock();
    const subscriptions = ways.map((way) => holdSubscription(way));
    const waiting = service.getRedLock('x').lock();
    await Promise.all(subscriptions.map(({ caught }) => caught));
    await passed(200);
    await held.unlock();
    const start = performance.now();
    for (const { letGo } of subscriptions) letGo();
    await (await waiting).unlock();
    expect(performance.now() - start).toBeLessThan(scaled(150));
  });

  test('does not keep the servers busy while some are free and a majority is not', async () => {
    const services = await openMany(3);
    await stage.occupy('x', [0, 1, 2]);
    const waiting = services.map((service) => service.getRedLock('x').lock());
    await stage.untilAsleep('x', 3);
    const before = await scripts();
    await untilQuiet();
    // A few rounds of each, until all of them only listen.
    expect((await scripts()) - before).toBeLessThan(300);
    await stage.wipe('x', 0, 1, 2);
    await stage.seats[0]?.admin.publish(`redisson_lock__channel:{${stage.prefix}x}`, '0');
    await unlockAll(waiting);
  });

  test('gets it when the leases of a dead holder are over, from enough servers', async () => {
    const service = await stage.openAll();
    await stage.occupy('x', [0, 1, 2, 3], 30_000);
    await stage.occupy('x', [0, 1], 600);
    const { end, late } = await endOf(600, () => service.getRedLock('x').lock({ waitTime: '5s' }));
    expect(end).toMatchObject({ isHeld: true });
    expect(late).toBeGreaterThan(-50);
    expect(late).toBeLessThan(scaled(200));
  });

  test('is granted in order among the waiters of its process', async () => {
    const [service, other] = await openMany(2);
    const held = await other?.getRedLock('x').lock();
    const turns: number[] = [];
    const waiting = ALL.map((turn) => service?.getRedLock('x').using(() => turns.push(turn)));
    await stage.untilAsleep('x');
    await held?.unlock();
    await Promise.all(waiting);
    expect(turns).toEqual(ALL);
  });

  test('is the only one of several that request it in the same moment, again and again', async () => {
    const services = await openMany(6);
    let [inside, most, done] = [0, 0, 0];
    const section = async (service: LockService) => {
      await service.getRedLock('x').using(async () => {
        most = Math.max(most, (inside += 1));
        await Promise.resolve();
        inside -= 1;
        done += 1;
      });
    };
    const start = performance.now();
    for (let round = 0; round < 10; round += 1) await Promise.all(services.map(section));
    expect([most, done]).toEqual([1, 60]);
    expect(performance.now() - start).toBeLessThan(scaled(8000));
    await stage.expectNothingLeft();
  });

  test('is one of several that request it once in the same moment, and one gets it', async () => {
    const services = await openMany(6);
    for (let round = 0; round < 20; round += 1) {
      const handles = await Promise.all(services.map((service) => service.getRedLock('x').tryLock()));
      const granted = handles.filter((handle) => handle !== null);
      expect(granted).toHaveLength(1);
      expect(await granted[0]?.unlock()).toBe('released');
      await until('it is free', async () => (await stage.keys('x')) === 0);
    }
  });
});

test('a vote that is split between two callers that do not wait is held again, until one of them has it', async () => {
  const numbers = [0, 1, 2, 3];
  const gates = numbers.map(() => new Gate());
  const ways = await Promise.all(numbers.map((number) => stage.proxy(number)));
  for (const [number, way] of ways.entries()) {
    way.judge((command) =>
      operationsOf(command).some(({ purpose }) => purpose === 'acquire')
        ? { before: gates[number]?.opened ?? Promise.resolve() }
        : 'pass',
    );
  }
  const [a, b, c, d] = ways;
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('no ways');
  const [one, other] = [
    await stage.openAll({ commandTimeout: '5s' }, { 2: c, 3: d }),
    await stage.openAll({ commandTimeout: '5s' }, { 0: a, 1: b }),
  ];
  await stage.occupy('x', [4]);
  const asked = [one.getRedLock('x').tryLock(), other.getRedLock('x').tryLock()];
  await until('each has two', async () => (await stage.keys('x')) === 5);
  for (const gate of gates) gate.open();
  const granted = (await Promise.all(asked)).filter((handle) => handle !== null);
  expect(granted).toHaveLength(1);
  expect(await granted[0]?.unlock()).toBe('released');
});
