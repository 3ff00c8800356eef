import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('case 11: a direct call', { timeout: scaled(30_000) }, () => {
  test('is never refused because the tick was already run', async ({ fleet }) => {
    const worker = await fleet.startOne();
    for (let call = 0; call < 5; call += 1) {
      const { tick = 0 } = await worker.first('ended', (ended) => ended.tick !== undefined);
      expect(await worker.ask({ do: 'call', job: 'counted' })).toBe('direct');
      expect(tick).toBeGreaterThan(0);
    }
    expect(fleet.started('counted').filter(({ tick }) => tick === undefined)).toHaveLength(5);
    expect(fleet.errors).toEqual([]);
  });

  test("from another module's slow bootstrap hook is one, while ticks run already", async ({ fleet }) => {
    const worker = await fleet.startOne({ jobs: ['counted', 'slow-start'] });
    const ready = worker.messages.findIndex(({ kind }) => kind === 'ready');
    const during = worker.messages.slice(0, ready).filter((message) => message.kind === 'started');
    expect(during[0]?.tick).toBeUndefined();
    expect(during.length).toBeGreaterThanOrEqual(3);
    expect(during.slice(1).every(({ tick }) => tick !== undefined)).toBe(true);
    expect(fleet.errors).toEqual([]);
  });

  test('by HTTP of a method that is a route and a cron job is one, and its ticks run', async ({ fleet }) => {
    const worker = await fleet.startOne({ jobs: ['route'] });
    const { url } = await worker.ready();
    for (let request = 0; request < 3; request += 1) {
      const { tick } = await worker.first('ended', (ended) => ended.tick !== undefined);
      const answer = await fetch(`${url}/route`);
      expect([await answer.json(), tick]).toEqual([{ tick: 'direct' }, expect.any(Number)]);
    }
    const ticks = ticksAfter(await fleet.storeNow(), 2);
    await worker.first('started', ({ tick }) => tick === ticks[1]);
    expect(runsOf(fleet, 'route', ticks)).toEqual(ticks);
    expect(fleet.errors).toEqual([]);
  });

  test('is what runOnInit makes', async ({ fleet }) => {
    const worker = await fleet.startOne({ jobs: ['on-init'] });
    await worker.first('started', ({ tick }) => tick !== undefined);
    const [first, ...others] = worker.of('started');
    expect(first?.tick).toBeUndefined();
    expect(others.every(({ tick }) => tick !== undefined)).toBe(true);
    expect(fleet.errors).toEqual([]);
  });
});

test('case 11: setTime changes the ticks of a job', { timeout: scaled(30_000) }, async ({ fleet }) => {
  const [one, other] = await fleet.start({ cron: '0 0 0 1 1 *' }, { cron: '0 0 0 1 1 *', shift: 7000 });
  await one?.ask({ do: 'set-time', cron: '*/2 * * * * *' });
  await other?.ask({ do: 'set-time', cron: '*/2 * * * * *' });
  const ticks = ticksAfter((await fleet.storeNow()) + 50, 2, 2000);
  await settled(fleet, ticks);
  expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
  // The one whose clock is ahead waits for the next tick by the store's, until it is stopped.
  for (const worker of [one, other]) await worker?.ask({ do: 'stop-job' });
  const [never = 0] = ticksAfter(await fleet.storeNow(), 1, 2000);
  await fleet.reach(never + 700);
  expect(runsOf(fleet, 'counted', [never])).toEqual([]);
  expect(fleet.errors).toEqual([]);
});
