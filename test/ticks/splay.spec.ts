import { describe, expect, test as base } from 'vitest';
import { Splay } from '../../libs/distributed-lock/src/jobs/splay.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { cronOf, secondAfter } from './tick.schedule.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** Ticks that are watched, one each second: `TICK_COUNT=60` is the full length. */
const TICKS = Number(process.env['TICK_COUNT'] || 10);
const INSTANCES = 10;
/** A run may start this much after the time that its delay leads to, in ms. */
const LATE = scaled(400);

describe('splay', () => {
  test(
    `shifts the start of each tick, which one of ${INSTANCES} instances runs`,
    { timeout: TICKS * 1000 + scaled(60_000) },
    async ({ fleet }) => {
      await fleet.start(...Array.from({ length: INSTANCES }, () => ({ splay: 10_000 })));
      const ticks = ticksAfter((await fleet.storeNow()) + 1500, TICKS);
      const starts = new Map<number, number>();
      // The record keeps the newest 50 rows.
      for (let at = 0; at < TICKS; at += 30) {
        await settled(fleet, ticks.slice(at, at + 30));
        for (const { tick, start, outcome } of await fleet.runs('counted')) {
          if (!ticks.includes(tick)) continue;
          expect(outcome).toBe('completed');
          starts.set(tick, start - tick);
        }
      }
      expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
      const splay = new Splay('counted', 10_000);
      const delays = ticks.map((tick) => splay.delayOf(tick, tick + 1000));
      // Of a second half a second at most, and a whole part of it.
      expect(Math.max(...delays)).toBeLessThan(500);
      expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(150);
      for (const [at, tick] of ticks.entries()) {
        const late = (starts.get(tick) ?? Infinity) - (delays[at] ?? 0);
        expect(late, `tick ${tick}`).toBeGreaterThanOrEqual(-1);
        expect(late, `tick ${tick}`).toBeLessThan(LATE);
      }
      expect(fleet.errors).toEqual([]);
    },
  );

  test(
    'is survived by the tick: an instance that starts within the delay runs it',
    { timeout: scaled(120_000) },
    async ({ fleet }) => {
      // Of a minute that is half over at the latest, so that the delay may be as long as the new instance needs.
      const now = await fleet.storeNow();
      const splay = new Splay('counted', 30_000);
      const candidates = Array.from({ length: 50 }, (_, at) => secondAfter(now, 6000 + at * 1000));
      const tick = candidates.find((each) => splay.delayOf(each, each + 60_000) > 15_000);
      if (tick === undefined)
        throw new Error('of fifty ticks none has a delay of more than half of the time');
      const start = tick + splay.delayOf(tick, tick + 60_000);
      const cron = cronOf(tick);
      const first = await fleet.startOne({ cron, splay: 30_000 });
      await fleet.reach(tick + 500);
      await first.kill();
      await fleet.startOne({ cron, splay: 30_000 });
      await until(
        'it has run',
        async () => (await fleet.runs('counted')).some((run) => run.tick === tick),
        45_000,
      );
      const [run] = await fleet.runs('counted');
      expect(run).toMatchObject({ tick, attempt: 1 });
      expect((run?.start ?? 0) - start).toBeGreaterThanOrEqual(-1);
      expect((run?.start ?? 0) - start).toBeLessThan(LATE);
      expect(first.of('started')).toEqual([]);
    },
  );
});
