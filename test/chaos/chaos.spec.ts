import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { runChaos } from './chaos.run.js';
import type { ChaosMode, Topology } from './chaos.types.js';
import { STORE_CLOCK } from './check.tokens.js';
import { BreakableGround } from './faults/breakable.ground.js';
import { faultsOf } from './faults/fault.table.js';
import { describeReport, wrongIn } from './report.js';

const WORKERS = 3;
/** CHAOS_SEED repeats a run. */
const SEED = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** CHAOS_SECONDS makes it longer; `npm run soak` makes it long. */
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 10);

test.each<readonly [Topology, ChaosMode]>([
  ['standalone', 'strict'],
  ['standalone', 'lossy'],
  ['sentinel', 'strict'],
  ['cluster', 'strict'],
])(
  'on %s, %s, whatever fails: no invariant is violated, and no update is lost that checks its token',
  async (topology, mode) => {
    const ground = await BreakableGround.open(topology, WORKERS);
    try {
      const report = await runChaos({
        ground,
        // After a step of the store's clock a lock may be left for a minute: the soak has the time.
        faults: faultsOf(ground, mode).filter(({ name }) => name !== STORE_CLOCK),
        pause: 800,
        seconds: SECONDS,
        seed: SEED,
        workers: WORKERS,
        mode,
        leases: [1000, 2000],
      });
      console.log(describeReport(report));
      const wrong = wrongIn(report);
      // In its first line, which is all that the summary keeps of a failure.
      expect(wrong, `CHAOS_SEED=${SEED}: ${wrong.join('; ')}`).toEqual([]);
      expect(Object.keys(report.updates)).toEqual(expect.arrayContaining(['redis fenced', 'file fenced']));
      expect(report.grants).toBeGreaterThan(20);
    } finally {
      await ground.close();
    }
  },
  scaled(SECONDS * 1000 + 90_000),
);
