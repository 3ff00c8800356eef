import { expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { expectInWindow, runsOf, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

test('three instances run a 5 ms job once per tick', { timeout: scaled(30_000) }, async ({ fleet }) => {
  await fleet.start({}, {}, {});
  const ticks = ticksAfter(await fleet.storeNow(), 6);
  await fleet.reach((ticks[5] ?? 0) + 700);
  expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
  const rows = (await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick));
  expect(rows.map(({ outcome }) => outcome)).toEqual(Array(6).fill('completed'));
  expectInWindow(rows);
  expect(fleet.errors).toEqual([]);
});
