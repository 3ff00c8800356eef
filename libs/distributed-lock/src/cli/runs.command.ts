import type { TickRecord } from '../contracts/tick.contract.js';
import type { CommandContext } from './command.context.js';
import { EXIT } from './exit.codes.js';
import { openLocks } from './open.locks.js';
import { showTime } from './lock.view.js';

/** `runs <job>`. */
export async function listRuns({ line, session, terminal }: CommandContext): Promise<number> {
  const service = await openLocks(line, session);
  try {
    const [runs, status] = await Promise.all([service.getRuns(line.name), service.jobs.status(line.name)]);
    const isKnown = status !== undefined || runs.length > 0;
    if (!isKnown)
      terminal.note(
        `Redis has no record of job "${line.name}" with the prefix "${line.prefix}". Give the key of the job, or Class.method if its decorator has no key, and the namePrefix of the application as --prefix.`,
      );
    if (line.isJson) terminal.json({ job: line.name, status, runs });
    else if (isKnown) {
      if (status?.paused !== undefined) terminal.line(`Paused since ${instant(status.paused)}.`);
      terminal.table(['TICK', 'OUTCOME', 'ATTEMPT', 'TOOK', 'APP', 'INSTANCE', 'REASON'], runs.map(rowOf));
    }
    return isKnown ? EXIT.done : EXIT.unknown;
  } finally {
    await service.shutDown();
  }
}

function rowOf({ tick, outcome, attempt, start, end, app, instance, reason }: TickRecord): string[] {
  return [
    instant(tick),
    outcome,
    `${attempt}`,
    end === undefined || attempt === 0 ? '-' : showTime(Math.max(0, end - start)),
    app,
    instance,
    reason ?? '',
  ];
}

/** A value that is no instant, in a record that any client can write, is shown as it is. */
function instant(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? `${at}` : date.toISOString();
}
