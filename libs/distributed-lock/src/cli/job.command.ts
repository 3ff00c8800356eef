import type { JobStatus } from '../contracts/job.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { instanceName } from '../core/instance.names.js';
import { instancesOf } from './instance.view.js';
import { RUN_HEADS, runRow, showInstant, stateOf } from './job.view.js';
import { instancesIn, withLocks } from '../command-line/with.locks.js';

/** `job <name>` shows the state of a job and its newest runs, `runs <name>` the runs alone. */
export async function showJob(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    const isWhole = line.command === 'job';
    const [runs, status, instances] = await Promise.all([
      locks.getRuns(line.name),
      locks.jobs.status(line.name),
      isWhole ? instancesIn(locks) : [],
    ]);
    const on = instancesOf(line.name, instances).map(instanceName);
    const isKnown = status !== undefined || runs.length > 0;
    if (!isKnown) terminal.note(unknownJob(context));
    if (line.isJson) terminal.json({ job: line.name, status, runs });
    else if (isKnown) {
      if (status !== undefined && isWhole) {
        const known = instances.length === 0 ? undefined : on.join(', ') || 'no instance';
        for (const text of describe(status, known, locks.ticks.clock.now())) terminal.line(text);
        terminal.line();
      } else if (status?.paused !== undefined) terminal.line(`Paused since ${showInstant(status.paused)}.`);
      terminal.table(RUN_HEADS, runs.map(runRow));
    }
    return isKnown ? EXIT.done : EXIT.unknown;
  });
}

function unknownJob({ line: { name, prefix } }: CommandContext): string {
  return `Redis has no record of job "${name}" with the prefix "${prefix}". Give the key of the job, or Class.method if its decorator has no key, and the namePrefix of the application as --prefix.`;
}

/** @param on the instances on which the job is on; undefined where no instance reports */
function describe(status: JobStatus, on: string | undefined, now: number | undefined): string[] {
  const { counts, running, pausedBy } = status;
  const rows: (readonly [string, string | undefined])[] = [
    ['state', stateOf(status, now)],
    ['runs on', running?.instance],
    ['on at', on],
    ['paused by', pausedBy],
    ['next', showInstant(status.next)],
    ['last success', showInstant(status.lastSuccess)],
    ['schedule', status.schedule],
    ['app', status.app],
    [
      'counts',
      Object.entries(counts)
        .map(([outcome, count]) => `${outcome} ${count}`)
        .join(', '),
    ],
  ];
  return rows.flatMap(([what, value]) => (value === undefined ? [] : [`${what.padEnd(14)}${value}`]));
}
