import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { planStorm, type StormSettings } from './storm.plan.js';
import { describeStorm } from './storm.report.js';
import { Storm } from './storm.run.js';

/** `npm run soak:ticks` sets them; a short one otherwise. */
const env = (name: string, otherwise: number) => Number(process.env[name] || otherwise);
const settings: StormSettings = {
  seed: env('STORM_SEED', Math.floor(Math.random() * 2 ** 31)),
  duration: env('STORM_SECONDS', 9) * 1000,
  instances: env('STORM_INSTANCES', 4),
};

describe('a storm of kills and restarts of Redis with its data', () => {
  test(
    'runs no tick twice under skip, every granted one to its end under retry, and has a reason for each that is not run',
    { timeout: settings.duration * 1.2 + scaled(60_000) },
    async () => {
      const report = await Storm.run(planStorm(settings));
      console.info(describeStorm(report));
      expect([...report.jobs.values()].flatMap(({ violations }) => violations)).toEqual([]);
      expect(report.ownEnds).toEqual([]);
      for (const { completed } of report.jobs.values()) expect(completed).toBeGreaterThan(0);
    },
  );

  test('is the same for the same seed, and another one for another', () => {
    expect(planStorm({ ...settings, seed: 7 })).toEqual(planStorm({ ...settings, seed: 7 }));
    expect(planStorm({ ...settings, seed: 7 })).not.toEqual(planStorm({ ...settings, seed: 8 }));
  });
});
