import type { JobStatus } from '../contracts/job.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { MOST_KEPT } from '../job-control/job.scripts.js';
import { placesByJob, placesOf } from '../core/job.places.js';
import { nextOf, RUN_HEADS, runRow, showInstant, stateOf } from './job.view.js';
import { instancesIn, withLocks } from '../command-line/with.locks.js';

/** `job <name>` shows the state of a job and its newest runs, `runs <name>` the runs alone. */
export async function showJob(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    const isWhole = line.command === 'job';
    // One more than is shown says whether there are more.
    const limit = Math.min(line.limit + 1, MOST_KEPT);
    const [found, status, instances] = await Promise.all([
      locks.getRuns(line.name, { limit }),
      locks.jobs.status(line.name),
      isWhole ? instancesIn(locks) : [],
    ]);
    const [runs, isCut] = [found.slice(0, line.limit), found.length > line.limit];
    const places = placesOf(line.name, status?.app, placesByJob(instances));
    const isKnown = status !== undefined || runs.length > 0;
    if (!isKnown) terminal.note(unknownJob(context));
    const { on, apps } = places;
    const where = isWhole ? { on, apps, isFleetKnown: instances.length > 0 } : {};
    if (line.isJson) terminal.json({ job: line.name, status, runs, isCut, ...where });
    else if (isKnown) {
      if (status !== undefined && isWhole) {
        const names = instances.length === 0 ? 'unknown: no instance reports' : places.names.join(', ');
        const facts = describe(status, { ...places, names: names || 'no instance' }, locks.ticks.clock.now());
        for (const text of facts) terminal.line(text);
        terminal.line();
      } else if (status?.paused !== undefined)
        terminal.line(
          `Paused since ${showInstant(status.paused)}${status.pausedBy === undefined ? '' : ` by ${status.pausedBy}`}.`,
        );
      terminal.table(RUN_HEADS, runs.map(runRow));
    }
    if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit.`);
    return isKnown ? EXIT.done : EXIT.unknown;
  });
}

function unknownJob({ line: { name, prefix } }: CommandContext): string {
  return `Redis has no record of job "${name}" with the prefix "${prefix}". Give the key of the job, or Class.method if its decorator has no key, and the namePrefix of the application as --prefix.`;
}

/** @param places the applications of the job, and the instances on which it is on, in words */
function describe(
  status: JobStatus,
  { apps, names }: { readonly apps: readonly string[]; readonly names: string },
  now: number | undefined,
): string[] {
  const { counts, running, pausedBy, app } = status;
  const rows: (readonly [string, string | undefined])[] = [
    ['state', stateOf(status, now)],
    ['runs on', running?.instance],
    // An instance does not report a job of `runOnce()`, which has no schedule.
    ['on at', status.schedule === undefined ? undefined : names],
    ['paused by', pausedBy],
    ['next', nextOf(status)],
    ['last success', showInstant(status.lastSuccess)],
    ['schedule', status.schedule],
    ['app', apps.join(', ') || undefined],
    // The last one of several, or one that does not report it any more.
    ['registered by', apps.length === 1 && apps[0] === app ? undefined : app],
    [
      'counts',
      Object.entries(counts)
        .map(([outcome, count]) => `${outcome} ${count}`)
        .join(', '),
    ],
  ];
  return rows.flatMap(([what, value]) => (value === undefined ? [] : [`${what.padEnd(14)}${value}`]));
}
