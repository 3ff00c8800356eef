import { expect, test as base } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { TickFleet } from './tick.fleet.js';

/** Tests with a Redis for their file, and instances of their own. */
export const test = base.extend<{ fleet: TickFleet; redis: RunningRedis }>({
  redis: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
    async ({}, use) => {
      const redis = await startRedis();
      await use(redis);
      await redis.stop();
    },
    { scope: 'file' },
  ],
  fleet: async ({ redis }, use) => {
    const fleet = new TickFleet(redis.url);
    await use(fleet);
    await fleet.end();
  },
});

/** The next `count` ticks of a period in ms, from a moment on. */
export function ticksAfter(at: number, count: number, period = 1000): number[] {
  const first = (Math.floor(at / period) + 1) * period;
  return Array.from({ length: count }, (_, index) => first + index * period);
}

/** The runs that workers told of, of those ticks. */
export function runsOf(fleet: TickFleet, job: string, ticks: readonly number[]): number[] {
  return fleet.started(job).flatMap(({ tick }) => (tick !== undefined && ticks.includes(tick) ? [tick] : []));
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
