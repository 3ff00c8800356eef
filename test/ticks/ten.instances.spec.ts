import { expect, test as base } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { scaled } from '../support/slowness.js';
import { expectInWindow, runsOf, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

const HOUR = 3_600_000;
/** How far the clocks of the instances are ahead of the machine's, in ms. */
const SHIFTS = [0, -5000, -2500, -700, -20, 20, 700, 2500, 5000, HOUR];
const TICKS = 60;

test(
  'ten instances with clocks from 5 s behind to an hour ahead run each of 60 ticks once',
  { timeout: scaled(120_000) },
  async ({ fleet }) => {
    await fleet.start(...SHIFTS.map((shift) => ({ shift })));
    const ticks = ticksAfter((await fleet.storeNow()) + 1000, TICKS);
    const [first = 0] = ticks;
    const rows = new Map<number, TickRecord>();
    const callsBefore = await scriptCalls();
    // The record keeps the newest 50 rows.
    for (const count of [TICKS / 2, TICKS]) {
      await fleet.reach(first + (count - 1) * 1000 + 700);
      for (const row of await fleet.runs('counted')) if (ticks.includes(row.tick)) rows.set(row.tick, row);
    }
    const calls = (await scriptCalls()) - callsBefore;

    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    expect(rows.size).toBe(TICKS);
    expect(new Set([...rows.values()].map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
    expectInWindow([...rows.values()]);
    expect(fleet.errors).toEqual([]);

    const warned = fleet.workers.map(
      (worker) => worker.lines('warn').filter((line) => line.includes("machine's clock")).length,
    );
    expect(warned).toEqual(SHIFTS.map((shift) => (Math.abs(shift) > 1000 ? 1 : 0)));
    // A call per tick and instance, and one that ends the run; a few more where an answer came early.
    expect(calls).toBeLessThan((SHIFTS.length + 1) * (TICKS + 2) * 1.5);

    async function scriptCalls(): Promise<number> {
      const info = await fleet.admin.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
    }
  },
);
