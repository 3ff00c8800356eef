import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { scaled } from '../support/slowness.js';
import { findFakeClock, type FakeClock } from './fake.clock.js';
import { TickFleet } from './tick.fleet.js';
import { expectInWindow, runsOf, ticksAfter } from './tick.fixtures.js';

const HOUR = 3600;
const fake = await findFakeClock();
if (typeof fake === 'string') console.warn(`SKIPPED, no libfaketime: ${fake}`);

/** Runs a test on a Redis whose clock is off by `offset` seconds, and can be set again. */
async function onStore(
  offset: number,
  run: (fleet: TickFleet, set: (offset: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clock-'));
  const file = join(folder, 'offset');
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  await set(offset);
  const redis = await startWith(fake, file);
  const fleet = new TickFleet(redis.url);
  try {
    const now = Date.now() / 1000;
    expect(Math.abs((await fleet.storeNow()) / 1000 - now - offset)).toBeLessThan(5);
    await run(fleet, set);
  } finally {
    await fleet.end();
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The environment of this process is what a server inherits. */
async function startWith(clock: FakeClock | string, file: string): ReturnType<typeof startRedis> {
  if (typeof clock === 'string') throw new Error(clock);
  const env = clock.envFor(file);
  Object.assign(process.env, env);
  try {
    return await startRedis();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

describe.skipIf(typeof fake === 'string')("the store's clock", { timeout: scaled(40_000) }, () => {
  const offsets = [
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ] as const;

  test.for(offsets)('decides, also when it is %s of all instances', async ([, offset]) => {
    await onStore(offset, async (fleet) => {
      await fleet.start({}, { shift: 400 }, { shift: -400 });
      const ticks = ticksAfter((await fleet.storeNow()) + 500, 4);
      await fleet.reach((ticks[3] ?? 0) + 700);
      expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
      const rows = (await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick));
      expect(rows.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
      expectInWindow(rows);
      expect(fleet.errors).toEqual([]);
      for (const worker of fleet.workers)
        expect(worker.lines('warn').filter((line) => line.includes("machine's clock"))).toHaveLength(1);
    });
  });

  test("a backward step of the store's clock is warned of, once", async () => {
    await onStore(0, async (fleet, set) => {
      const worker = await fleet.startOne();
      await worker.first('ended', () => true);
      await set(-4);
      const warnings = () => worker.lines('warn').filter((line) => line.includes('stepped back'));
      await worker.first('log', ({ level, text }) => level === 'warn' && text.includes('stepped back'));
      const mark = Math.max(...fleet.started('counted').map(({ tick }) => tick ?? 0));
      // It rests until the clock has passed its last tick, and goes on.
      await worker.first('started', ({ tick = 0 }) => tick > mark, 10_000);
      const ran = fleet.started('counted').map(({ tick }) => tick);
      expect(new Set(ran).size).toBe(ran.length);
      expect(ran.at(-1)).toBe(mark + 1000);
      expect(warnings()).toHaveLength(1);
      expect(fleet.errors).toEqual([]);
    });
  });
});
