import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { HAS_FAKE_CLOCK, onFakeStore } from './fake.store.js';
import { expectInWindow, runsOf, settled, ticksAfter } from './tick.fixtures.js';

const HOUR = 3600;

describe.skipIf(!HAS_FAKE_CLOCK).concurrent("case 2: the store's clock", { timeout: scaled(40_000) }, () => {
  const offsets = [
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ] as const;

  test.for(offsets)('decides, also when it is %s of all instances', async ([, offset]) => {
    await onFakeStore(offset, async (fleet) => {
      await fleet.start({}, { shift: 400 }, { shift: -400 });
      const ticks = ticksAfter((await fleet.storeNow()) + 500, 4);
      const before = await fleet.scriptCalls();
      await settled(fleet, ticks);
      expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
      const rows = (await fleet.runs('counted')).filter(({ tick }) => ticks.includes(tick));
      expect(rows.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
      expectInWindow(rows);
      expect(fleet.errors).toEqual([]);
      // Three instances ask for each of four ticks, and one of them ends the run; as many again for what comes now and then, and a report each.
      expect((await fleet.scriptCalls()) - before).toBeLessThanOrEqual(4 * 4 * 2 + 3);
      for (const worker of fleet.workers)
        expect(worker.lines('warn').filter((line) => line.includes("machine's clock"))).toHaveLength(1);
    });
  });

  test("a backward step of the store's clock is warned of, once", async () => {
    await onFakeStore(0, async (fleet, set) => {
      const worker = await fleet.startOne();
      await worker.first('ended', () => true);
      await set(-4);
      const warnings = () => worker.lines('warn').filter((line) => line.includes('was set back'));
      await worker.first('log', ({ level, text }) => level === 'warn' && text.includes('was set back'));
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
