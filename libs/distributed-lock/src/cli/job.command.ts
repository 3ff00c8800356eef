import type { JobStatus } from '../contracts/job.contract.js';
import type { CommandContext } from './command.context.js';
import { EXIT } from './exit.codes.js';
import { RUN_HEADS, runRow, showInstant, stateOf } from './job.view.js';
import { withLocks } from './with.locks.js';

/** `job <name>` shows the state of a job and its newest runs, `runs <name>` the runs alone. */
export async function showJob(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async (locks) => {
    const [runs, status] = await Promise.all([locks.getRuns(line.name), locks.jobs.status(line.name)]);
    const isKnown = status !== undefined || runs.length > 0;
    if (!isKnown) terminal.note(unknownJob(context));
    if (line.isJson) terminal.json({ job: line.name, status, runs });
    else if (isKnown) {
      if (status !== undefined && line.command === 'job') {
        for (const text of describe(status, locks.ticks.clock.now())) terminal.line(text);
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

function describe(status: JobStatus, now: number | undefined): string[] {
  const { counts, running, pausedBy } = status;
  const rows: (readonly [string, string | undefined])[] = [
    ['state', stateOf(status, now)],
    ['runs on', running?.instance],
    ['paused by', pausedBy],
    ['next', showInstant(status.next)],
    ['last success', showInstant(status.lastSuccess)],
    ['schedule', status.schedule],
    ['app', status.app],
    ['counts', Object.entries(counts).map(([outcome, count]) => `${outcome} ${count}`).join(', ')],
  ];
  return rows.flatMap(([what, value]) => (value === undefined ? [] : [`${what.padEnd(14)}${value}`]));
}
