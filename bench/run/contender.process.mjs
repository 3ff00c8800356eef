/** One process of one contestant: `node contender.process.mjs <module> <url> <settings>`; does the jobs that its parent names. */
import * as jobs from './jobs.mjs';
import { beginProfile, endProfile } from './profiler.mjs';

const [, , module, url, settings] = process.argv;
if (module === undefined || url === undefined || settings === undefined || process.send === undefined)
  throw new Error('started by the driver of the benchmark only');

const { open } = await import(`../contestants/${module}.mjs`);
/** @type {import('../bench.types.js').Contestant} */
const contestant = await open(url, JSON.parse(settings));
/** @type {Map<string, (contestant: import('../bench.types.js').Contestant, options: never) => Promise<import('../bench.types.js').Figures>>} */
const known = new Map(Object.entries({ ...jobs, beginProfile, endProfile }));

process.on(
  'message',
  async (/** @type {{ id: number, job: string, options: never }} */ { id, job, options }) => {
    if (job === 'close') {
      await contestant.close();
      process.disconnect();
      // A peer that leaves timers behind must not hold the benchmark up.
      process.exit();
    }
    try {
      const figures = await known.get(job)?.(contestant, options);
      process.send?.({ id, figures });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  },
);
process.once('disconnect', () => process.exit());
process.send({ id: 0 });
