import type { ListedJob } from '../contracts/job.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { placesByJob, placesOf, type JobPlaces } from '../core/job.places.js';
import { nextOf, onCount, showInstant, stateOf, tookOf } from './job.view.js';
import { prefixHint } from '../command-line/prefix.hint.js';
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

interface FleetFacts {
  /** Whether instances report. */
  readonly isFleetKnown: boolean;
  /** The store's time, epoch ms; undefined if it is unknown. */
  readonly now: number | undefined;
}

/** `jobs`. */
export async function listJobs(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    // One more than is shown tells whether there are more.
    const found = await locks.jobs.list({ limit: Math.min(line.limit + 1, 10_000) });
    const [jobs, isCut] = [found.slice(0, line.limit), found.length > line.limit];
    const instances = await instancesIn(locks);
    const now = locks.ticks.clock.now();
    const isFleetKnown = instances.length > 0;
    const byJob = placesByJob(instances);
    const placed = jobs.map((job) => ({ job, places: placesOf(job.job, job.app, byJob) }));
    if (line.isJson)
      terminal.json({
        jobs: placed.map(({ job, places: { on, apps } }) => ({ ...job, on, apps })),
        isCut,
        isFleetKnown,
      });
    else if (jobs.length === 0)
      terminal.line(
        `There is no job with the prefix "${line.prefix}". An instance lists its jobs when it starts, with this version of the library. ${prefixHint}`,
      );
    else
      terminal.table(
        HEADS,
        placed.map(({ job, places }) => jobRow(job, places, { isFleetKnown, now })),
      );
    if (!isFleetKnown && jobs.some(({ schedule }) => schedule !== undefined))
      terminal.note('No instance reports: where a job is on is unknown.');
    if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit.`);
    return EXIT.done;
  });
}

function jobRow(job: ListedJob, { on, apps }: JobPlaces, { isFleetKnown, now }: FleetFacts): string[] {
  const { lastRun, lastSuccess, schedule } = job;
  return [
    job.job,
    stateOf(job, now),
    onCount(job, isFleetKnown ? on.length : undefined),
    nextOf(job),
    showInstant(lastRun?.start),
    lastRun?.outcome ?? '-',
    lastRun === undefined ? '-' : tookOf(lastRun),
    showInstant(lastSuccess),
    schedule ?? '-',
    apps.join(', ') || '-',
  ];
}
