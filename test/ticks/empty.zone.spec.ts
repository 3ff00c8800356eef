import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { runsOf, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** Between the starts of two processes, in ms. */
const APART = 60;

test(
  'three processes with an empty timeZone run each tick once',
  { timeout: scaled(40_000) },
  async ({ fleet }) => {
    const launched = [];
    for (let instance = 0; instance < 3; instance += 1) {
      launched.push(...fleet.launch({ jobs: ['empty-zone'] }));
      await sleep(APART);
    }
    await Promise.all(launched.map((worker) => worker.ready()));
    const ticks = ticksAfter(await fleet.storeNow(), 3);
    await until('the last tick', () => runsOf(fleet, 'empty-zone', ticks).includes(ticks[2] ?? 0), 10_000);
    expect(runsOf(fleet, 'empty-zone', ticks)).toEqual(ticks);
    expect(fleet.started('empty-zone').filter(({ tick }) => tick === undefined)).toEqual([]);
    expect(fleet.errors).toEqual([]);
  },
);
