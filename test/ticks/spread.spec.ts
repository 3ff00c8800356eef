import { expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

const TICKS = 30;

/** The clock of each of five instances is a millisecond behind that of the one before. */
const SHIFTS = [0, -1, -2, -3, -4];

test(
  'the ticks of a job are spread over its instances, also those whose clocks are behind',
  { timeout: scaled(120_000) },
  async ({ fleet }) => {
    await fleet.start(...SHIFTS.map((shift) => ({ shift })));
    const services = new Services(fleet.source, { prefix: fleet.prefix });
    try {
      const locks = await services.open();
      const reports = async () => (await locks.fleet.instances()).map(({ seen }) => seen);
      await until('all report', async () => (await reports()).length === SHIFTS.length, 15_000);
      // An instance knows of the others from its next report on.
      const from = await fleet.storeNow();
      await until(
        'all know of the others',
        async () => (await reports()).every((seen) => seen > from),
        15_000,
      );
    } finally {
      await services.close();
    }
    const ticks = ticksAfter((await fleet.storeNow()) + 500, TICKS);
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    const runners = fleet
      .started('counted')
      .filter(({ tick }) => tick !== undefined && ticks.includes(tick))
      .map(({ worker }) => worker);
    const counts = SHIFTS.map((_, worker) => runners.filter((one) => one === worker).length);
    // Without a pause the first two ran five ticks of six, and the last one none.
    expect(Math.min(...counts), counts.join(', ')).toBeGreaterThanOrEqual(1);
    expect(Math.max(...counts), counts.join(', ')).toBeLessThan(TICKS / 2);
    const inARow = runners.filter((worker, at) => worker === runners[at - 1]).length;
    expect(inARow, runners.join('')).toBeLessThan(TICKS / 4);
    expect(fleet.errors).toEqual([]);
  },
);
