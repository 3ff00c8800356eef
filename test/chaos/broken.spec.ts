import { afterAll, beforeAll, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { BROKEN_LOCKS } from './broken/broken.locks.js';
import { expectToBeFound, SEED, tryOut, WORKERS } from './broken/broken.suite.js';
import { runChaos } from './chaos.run.js';
import { BreakableGround } from './faults/breakable.ground.js';
import { FAULTS } from './faults/fault.table.js';
import { describeReport } from './report.js';

let ground: BreakableGround;

beforeAll(async () => {
  ground = await BreakableGround.open('standalone', WORKERS);
}, scaled(30_000));
afterAll(() => ground.close());

expectToBeFound(BROKEN_LOCKS, () => ground);

test.each([true, false])(
  'a sound library is not suspected under the same faults (loss of data: %s)',
  async (lossy) => {
    const trials = BROKEN_LOCKS.filter((broken) => broken.lossy === lossy);
    const faults = trials.flatMap((broken) => broken.faults);
    const report = await tryOut(ground, { lossy, faults }, SEED);
    expect(
      report.violations.map(({ what }) => what),
      describeReport(report),
    ).toEqual([]);
    expect(report.troubles, describeReport(report)).toEqual([]);
    expect(report.porcupine.illegal, describeReport(report)).toEqual([]);
  },
  scaled(60_000),
);

test(
  'permits of workers that were killed at the end are not taken for something left behind',
  async () => {
    const killed = FAULTS.filter(({ name }) => name === 'worker killed');
    const report = await runChaos({
      ground,
      // By another name no calm follows: the last one dies as the run ends.
      faults: killed.map((fault) => ({ ...fault, name: 'worker killed at the end' })),
      pause: 1,
      seconds: 2,
      seed: SEED,
      workers: WORKERS,
      mode: 'strict',
      sorts: ['permit'],
      // Many, with long leases: what a dead one had is not asked for again before the last look.
      names: 16,
      leases: [5000],
    });
    expect(report.faults['worker killed at the end'], describeReport(report)).toBeGreaterThan(0);
    expect(
      report.violations.map(({ what }) => what),
      describeReport(report),
    ).toEqual([]);
  },
  scaled(60_000),
);
