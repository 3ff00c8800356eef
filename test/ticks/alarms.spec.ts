import { describe, expect, test as base } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { TickFleet } from './tick.fleet.js';
import {
  expectInWindow,
  isRecorded,
  runsOf,
  settled,
  ticksAfter,
  tickFixtures,
  type TickFixtures,
} from './tick.fixtures.js';
import { NEVER } from './tick.schedule.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('case 3: alarms', { timeout: scaled(60_000) }, () => {
  test('of timers that fire 1 to 20 ms early lead to each tick once, and never before its time', async ({
    fleet,
  }) => {
    await fleet.start({ early: 20 }, { early: 20 }, { early: 20, shift: 15 });
    const ticks = ticksAfter((await fleet.storeNow()) + 500, 4);
    const before = await fleet.scriptCalls();
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    expectInWindow((await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick)));
    // Three instances ask for each of four ticks and one of them ends the run, now and then after an answer that was too early.
    expect((await fleet.scriptCalls()) - before).toBeLessThan(4 * 4 * 4);
    expect(fleet.errors).toEqual([]);
  });

  test('ticks that an instance slept through are run by another one', async ({ fleet }) => {
    const [sleeper] = await fleet.start({}, {});
    const ticks = ticksAfter(await fleet.storeNow(), 5);
    await fleet.reach((ticks[0] ?? 0) + 300);
    await sleeper?.ask({ do: 'block', ms: 2500 });
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    expect(fleet.errors).toEqual([]);
  });

  test('of the ticks in which the only event loop was blocked, the last one runs late and the others are missed', async ({
    fleet,
  }) => {
    const worker = await fleet.startOne();
    await worker.first('ended', () => true);
    const ticks = ticksAfter(await fleet.storeNow(), 6);
    await fleet.reach((ticks[0] ?? 0) + 300);
    await worker.ask({ do: 'block', ms: 3000 });
    await settled(fleet, ticks);
    const ran = runsOf(fleet, 'counted', ticks);
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran).not.toContain(ticks[1]);
    expect(ran).not.toContain(ticks[2]);
    expect(ran.slice(-2)).toEqual(ticks.slice(-2));
    const rows = await fleet.runs('counted');
    expect(ticks.filter((tick) => !isRecorded(rows, tick))).toEqual([]);
    expect(rows.some(({ outcome, tick }) => outcome === 'missed' && tick === ticks[2])).toBe(true);
  });

  /** Where it stood still, the claim was sent, and is answered to nobody when Redis wakes up. */
  const absences = ['could not be reached', 'stood still'] as const;

  test.for(absences)(
    'a tick over which Redis %s is not run, and a fast clock does not revive it',
    async (absence) => {
      const redis = await startRedis();
      const gate = await TcpProxy.open(redis.port);
      const fleet = new TickFleet(gate.url, redis.url);
      try {
        // The fast one's alarm for the next tick comes when the lost one is over, and older than the grace.
        await fleet.start({ cron: NEVER }, { cron: NEVER, shift: 2000 });
        const [before = 0, lost = 0, next = 0] = await fleet.schedule(0, 3000, 13_000);
        await fleet.reach(lost - 700);
        if (absence === 'stood still') await redis.pause();
        else gate.refuse();
        for (const worker of fleet.workers) await worker.first('log', isUnclaimed, 9000);
        // What was sent is granted when Redis wakes up, and returned: within the grace it would still be run, and rightly so.
        await until('the lost tick is older than the grace', () => Date.now() >= lost + GRACE, 9000);
        await redis.resume();
        gate.restore();
        await settled(fleet, [next]);
        expect(runsOf(fleet, 'counted', [before, lost, next])).toEqual([before, next]);
        const rows = (await fleet.runs('counted')).filter(({ tick }) => tick === lost);
        expect(rows.map(({ outcome }) => outcome)).toEqual(['missed']);
        expect(fleet.errors.filter((line) => !line.includes(UNCLAIMED))).toEqual([]);
        expect(fleet.errors).toHaveLength(2);
      } finally {
        await fleet.end();
        await gate.close();
        await redis.resume();
        await redis.stop();
      }
    },
  );
});

/** Of jobs that do not say, in ms. */
const GRACE = 5000;
const UNCLAIMED = 'could not be claimed';

function isUnclaimed({ level, text }: { level: string; text: string }): boolean {
  return level === 'error' && text.includes(UNCLAIMED);
}
