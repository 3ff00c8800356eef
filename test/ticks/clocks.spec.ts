import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import {
  expectInWindow,
  runsOf,
  settled,
  ticksAfter,
  tickFixtures,
  type TickFixtures,
} from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

const HOUR = 3_600_000;

describe.concurrent('case 2: an instance that is the only one', { timeout: scaled(30_000) }, () => {
  const cases = [
    ['an instance an hour ahead runs no tick early', HOUR, 1],
    ['an instance an hour behind runs no tick late', -HOUR, 1],
    ['an instance 15 ms ahead, whose alarms come early, runs every tick', 15, 1],
    ['an instance 300 ms behind runs every tick', -300, 1],
    ['an instance several ticks behind runs every tick when it is due', -7300, 2],
    ['an instance several ticks ahead runs every tick when it is due', 7300, 2],
  ] as const;

  test.for(cases)('%s', async ([, shift, period], { fleet }) => {
    const worker = await fleet.startOne({ shift, cron: `*/${period} * * * * *` });
    await worker.first('started', () => true, 10_000);
    const ticks = ticksAfter(await fleet.storeNow(), 3, period * 1000);
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    const rows = (await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick));
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expectInWindow(rows);
    expect(fleet.errors).toEqual([]);
    const warned = worker.lines('warn').filter((line) => line.includes("machine's clock"));
    expect(warned).toHaveLength(Math.abs(shift) > 1000 ? 1 : 0);
  });
});
