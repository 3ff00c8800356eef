import { expect } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { until } from '../support/until.js';
import { TickFleet } from './tick.fleet.js';

/** What a test of ticks needs. */
export interface TickFixtures {
  /** Instances of the test's own, on a Redis of its own. */
  fleet: TickFleet;
}

/** For `test.extend`. */
export const tickFixtures = {
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  fleet: async ({}: object, use: (fleet: TickFleet) => Promise<void>): Promise<void> => {
    const redis = await startRedis();
    const fleet = new TickFleet(redis.url);
    try {
      await use(fleet);
    } finally {
      await fleet.end();
      await redis.stop();
    }
  },
};

/** The next `count` ticks of a period in ms, from a moment on. */
export function ticksAfter(at: number, count: number, period = 1000): number[] {
  const first = (Math.floor(at / period) + 1) * period;
  return Array.from({ length: count }, (_, index) => first + index * period);
}

/** The runs that workers told of, of those ticks. */
export function runsOf(fleet: TickFleet, job: string, ticks: readonly number[]): number[] {
  return fleet.started(job).flatMap(({ tick }) => (tick !== undefined && ticks.includes(tick) ? [tick] : []));
}

/** How long after its verdict a second run of a tick would have shown, in ms. */
const SECOND_RUN = 700;

/** Waits until the record says what became of each of those ticks, and for as long as a second run of one would take to show. */
export async function settled(
  fleet: TickFleet,
  ticks: readonly number[],
  jobs: readonly string[] = ['counted'],
): Promise<void> {
  await fleet.reach(Math.max(...ticks));
  for (const job of jobs)
    await until(`the record has ${ticks.join(', ')} of "${job}"`, async () => {
      const rows = await fleet.verdicts(job);
      return ticks.every((tick) => isRecorded(rows, tick));
    });
  await fleet.reach((await fleet.storeNow()) + SECOND_RUN);
}

/** Each run began after its instant and before the next one, by the store's clock. */
export function expectInWindow(rows: readonly TickRecord[], period = 1000): void {
  for (const { tick, start } of rows) {
    expect(start).toBeGreaterThanOrEqual(tick);
    expect(start).toBeLessThan(tick + period);
  }
}

/** Whether the record says what became of a tick: by a row of its own, or by that of a gap. */
export function isRecorded(rows: readonly TickRecord[], tick: number): boolean {
  return rows.some(
    (row) => row.tick === tick || (row.after !== undefined && row.after < tick && tick <= row.tick),
  );
}
