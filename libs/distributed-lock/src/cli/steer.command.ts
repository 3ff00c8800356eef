import type { CommandContext } from '../command-line/command.context.js';
import { isAgreed } from '../command-line/confirmation.js';
import { EXIT } from '../command-line/exit.codes.js';
import { operatorName } from '../command-line/operator.name.js';
import { showTime } from '../lock-list/lock.view.js';
import { withLocks } from '../command-line/with.locks.js';

/** What `pause` and `resume` have done. */
const SAID = {
  pause: { changed: 'is paused on all instances. A current run continues.', same: 'was already paused.' },
  resume: {
    changed: 'is resumed. Ticks that were missed during the pause are not made up.',
    same: 'was not paused.',
  },
} as const;

/** `pause <job>` and `resume <job>`. */
export async function steer(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  const verb = line.command === 'pause' ? 'pause' : 'resume';
  return await withLocks(context, async ({ ticks: { jobs } }) => {
    const isChanged = await jobs.steer(line.name, verb, operatorName());
    if (line.isJson) terminal.json({ job: line.name, paused: verb === 'pause', changed: isChanged });
    else terminal.line(`Job "${line.name}" ${SAID[verb][isChanged ? 'changed' : 'same']}`);
    return EXIT.done;
  });
}

/** `run-now <job>`. */
export async function runNow(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async ({ ticks: { jobs } }) => {
    const isStarted = await jobs.runNowBy(line.name, operatorName(), { timeout: line.wait });
    if (line.isJson) terminal.json({ job: line.name, started: isStarted });
    else
      terminal.line(
        isStarted
          ? `A run of job "${line.name}" has started.`
          : `No instance has started job "${line.name}" within ${showTime(line.wait)}: none has the job, or its lock is held.`,
      );
    return isStarted ? EXIT.done : EXIT.unwell;
  });
}

/** `forget <job>`. */
export async function forget(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  const question = `Delete the state and the records of job "${line.name}"? If an instance still has the job, its next tick creates a new record.`;
  const unasked = `forget asks before it deletes the record of "${line.name}"`;
  if (!line.isSure && !(await isAgreed(terminal, question, unasked))) {
    terminal.note('Nothing was done.');
    return EXIT.unwell;
  }
  return await withLocks(context, async ({ jobs }) => {
    const isForgotten = await jobs.forget(line.name, { force: line.isForced });
    if (line.isJson) terminal.json({ job: line.name, forgotten: isForgotten });
    else
      terminal.line(
        isForgotten
          ? `The record of job "${line.name}" was deleted.`
          : `Job "${line.name}" is running, and was not changed: wait for its end, or use --force.`,
      );
    return isForgotten ? EXIT.done : EXIT.unwell;
  });
}
