import type { ListedJob } from '../contracts/job.contract.js';
import type { CommandContext } from './command.context.js';
import { EXIT } from './exit.codes.js';
import { showInstant, stateOf, tookOf } from './job.view.js';
import { withLocks } from './with.locks.js';

const HEADS = ['JOB', 'STATE', 'NEXT', 'LAST RUN', 'OUTCOME', 'TOOK', 'LAST SUCCESS', 'SCHEDULE', 'APP'];

/** `jobs`. */
export async function listJobs(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    // One more than is shown tells whether there are more.
    const found = await locks.jobs.list({ limit: Math.min(line.limit + 1, 10_000) });
    const [jobs, isCut] = [found.slice(0, line.limit), found.length > line.limit];
    const now = locks.ticks.clock.now();
    if (line.isJson) terminal.json({ jobs, isCut });
    else if (jobs.length === 0)
      terminal.line(
        `There is no job with the prefix "${line.prefix}". An instance lists its jobs when it starts, with this version of the library.`,
      );
    else
      terminal.table(
        HEADS,
        jobs.map((job) => rowOf(job, now)),
      );
    if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit.`);
    return EXIT.done;
  });
}

function rowOf(job: ListedJob, now: number | undefined): string[] {
  const { next, lastRun, lastSuccess, schedule = '-', app = '-' } = job;
  return [
    job.job,
    stateOf(job, now),
    showInstant(next),
    showInstant(lastRun?.start),
    lastRun?.outcome ?? '-',
    lastRun === undefined ? '-' : tookOf(lastRun),
    showInstant(lastSuccess),
    schedule,
    app,
  ];
}
