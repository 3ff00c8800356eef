import { describe, expect, test } from 'vitest';
import { Splay } from './splay.js';

const MINUTE = 60_000;

describe('the delay of a tick', () => {
  test('is the same each time, and in each process', () => {
    expect([0, 1, 2, 3].map((at) => new Splay('report', MINUTE).delayOf(at * MINUTE, undefined))).toEqual(
      [0, 1, 2, 3].map((at) => new Splay('report', MINUTE).delayOf(at * MINUTE, undefined)),
    );
    expect(new Splay('report', MINUTE).delayOf(1_790_000_000_000, undefined)).toBe(13_962);
  });

  test.each(['report', 'größe', '{tenant}:a'])(
    'is spread evenly over the time, for the ticks of "%s"',
    (job) => {
      const splay = new Splay(job, 10_000);
      const tenths = Array.from({ length: 10 }, () => 0);
      for (let tick = 0; tick < 10_000; tick += 1) {
        const delay = splay.delayOf(1_700_000_000_000 + tick * 1000, undefined);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThan(10_000);
        const tenth = Math.floor(delay / 1000);
        tenths[tenth] = (tenths[tenth] ?? 0) + 1;
      }
      // 1000 each, and six standard deviations beside it.
      for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(180);
    },
  );

  test('differs between jobs of one schedule', () => {
    const delays = Array.from({ length: 100 }, (_, job) =>
      new Splay(`job:${job}`, MINUTE).delayOf(0, undefined),
    );
    expect(new Set(delays).size).toBeGreaterThan(90);
  });

  test('ends before the next tick', () => {
    const splay = new Splay('report', 10 * MINUTE);
    for (let tick = 0; tick < 1000; tick += 1) expect(splay.delayOf(tick, tick + 1000)).toBeLessThan(500);
  });
});
