import type { ListedJob } from '../contracts/job.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { instancesOf } from './instance.view.js';
import { showInstant, stateOf, tookOf } from './job.view.js';
import { instancesIn, withLocks } from '../command-line/with.locks.js';

const HEADS = [
  'JOB',
  'STATE',
  'ON',
  'NEXT',
  'LAST RUN',
  'OUTCOME',
  'TOOK',
  'LAST SUCCESS',
  'SCHEDULE',
  'APP',
];

/** `jobs`. */
export async function listJobs(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    // One more than is shown tells whether there are more.
    const found = await locks.jobs.list({ limit: Math.min(line.limit + 1, 10_000) });
    const [jobs, isCut] = [found.slice(0, line.limit), found.length > line.limit];
    const instances = await instancesIn(locks);
    const now = locks.ticks.clock.now();
    const idsOf = ({ job }: ListedJob) => instancesOf(job, instances).map(({ id }) => id);
    if (line.isJson) terminal.json({ jobs: jobs.map((job) => ({ ...job, on: idsOf(job) })), isCut });
    else if (jobs.length === 0)
      terminal.line(
        `There is no job with the prefix "${line.prefix}". An instance lists its jobs when it starts, with this version of the library.`,
      );
    else
      terminal.table(
        HEADS,
        jobs.map((job) => rowOf(job, instances.length === 0 ? '-' : `${idsOf(job).length}`, now)),
      );
    if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit.`);
    return EXIT.done;
  });
}

/** @param on on how many instances the job is on */
function rowOf(job: ListedJob, on: string, now: number | undefined): string[] {
  const { next, lastRun, lastSuccess, schedule = '-', app = '-' } = job;
  return [
    job.job,
    stateOf(job, now),
    on,
    showInstant(next),
    showInstant(lastRun?.start),
    lastRun?.outcome ?? '-',
    lastRun === undefined ? '-' : tookOf(lastRun),
    showInstant(lastSuccess),
    schedule,
    app,
  ];
}
