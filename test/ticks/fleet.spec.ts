import { describe, expect, test as base } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
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
/** Ticks that are watched, one per second: `TICK_COUNT=60` is the full length. */
const TICKS = Number(process.env['TICK_COUNT'] || 5);
const DURATION = TICKS * 1000 + scaled(40_000);

describe('case 1: a 5 ms job with a tick every second', () => {
  test.for([3, 10])(
    'runs once per tick on %i instances, with no error in any log',
    { timeout: DURATION },
    async (count, { fleet }) => {
      await fleet.start(...Array.from({ length: count }, () => ({})));
      const ticks = ticksAfter((await fleet.storeNow()) + 500, TICKS);
      expectInWindow(await completedRows(fleet, ticks));
      expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
      expect(fleet.errors).toEqual([]);
    },
  );
});

/** How far the clocks of the instances are ahead of the machine's, in ms. */
const SHIFTS = [0, -5000, -2500, -700, -20, 20, 700, 2500, 5000, HOUR, -HOUR];

describe('case 2: instances with clocks from an hour behind to an hour ahead', () => {
  test(
    'run each tick once, by the clock of Redis, and send no more requests',
    { timeout: DURATION },
    async ({ fleet }) => {
      await fleet.start(...SHIFTS.map((shift) => ({ shift })));
      const ticks = ticksAfter((await fleet.storeNow()) + 1000, TICKS);
      const before = await fleet.scriptCalls();
      expectInWindow(await completedRows(fleet, ticks));
      const calls = (await fleet.scriptCalls()) - before;

      expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
      expect(fleet.errors).toEqual([]);
      const warned = fleet.workers.map(
        (worker) => worker.lines('warn').filter((line) => line.includes("machine's clock")).length,
      );
      expect(warned).toEqual(SHIFTS.map((shift) => (Math.abs(shift) > 1000 ? 1 : 0)));
      // A call per tick and instance, and one that ends the run; a few more where an answer came early.
      expect(calls).toBeLessThan((SHIFTS.length + 1) * (TICKS + 2) * 1.5);
      // One whose clock is right waits for nothing, the others for one alarm each.
      const [right = 0, ...others] = await Promise.all(
        fleet.workers.map(async (worker) => Number(await worker.ask({ do: 'count-timers' }))),
      );
      expect(Math.max(...others)).toBeLessThanOrEqual(right + 1);
    },
  );
});

/** Waits until the ticks are over; the rows of their runs, of which every one has completed. */
async function completedRows(fleet: TickFixtures['fleet'], ticks: readonly number[]): Promise<TickRecord[]> {
  const rows = new Map<number, TickRecord>();
  // The record keeps the newest 50 rows.
  for (let index = 0; index < ticks.length; index += 30) {
    await settled(fleet, ticks.slice(index, index + 30));
    for (const row of await fleet.runs('counted')) if (ticks.includes(row.tick)) rows.set(row.tick, row);
  }
  expect(rows.size).toBe(ticks.length);
  expect(new Set([...rows.values()].map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
  return [...rows.values()];
}
