import { UsageError } from '../command-line/command.line.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { showTime } from './lock.view.js';
import { withLocks } from '../command-line/with.locks.js';

/** `pause <job>`. */
export async function pause(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async ({ jobs }) => {
    const isChanged = await jobs.pause(line.name);
    if (line.isJson) terminal.json({ job: line.name, paused: true, changed: isChanged });
    else
      terminal.line(
        isChanged
          ? `Job "${line.name}" is paused on all instances. A current run continues.`
          : `Job "${line.name}" was already paused.`,
      );
    return EXIT.done;
  });
}

/** `resume <job>`. */
export async function resume(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async ({ jobs }) => {
    const isChanged = await jobs.resume(line.name);
    if (line.isJson) terminal.json({ job: line.name, paused: false, changed: isChanged });
    else
      terminal.line(
        isChanged
          ? `Job "${line.name}" is resumed. The ticks of the pause do not run.`
          : `Job "${line.name}" was not paused.`,
      );
    return EXIT.done;
  });
}

/** `run-now <job>`. */
export async function runNow(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  return await withLocks(context, async ({ jobs }) => {
    const isStarted = await jobs.runNow(line.name, { timeout: line.wait });
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
  if (!line.isSure && !(await isAgreed(context))) {
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

async function isAgreed({ line: { name }, terminal }: CommandContext): Promise<boolean> {
  const answer = await terminal.ask(
    `Delete the state and the records of job "${name}"? If an instance still has the job, its next tick creates a new record. [y/N] `,
  );
  if (answer !== undefined) return /^y(?:es)?$/i.test(answer);
  throw new UsageError(
    `forget asks before it deletes the record of "${name}", and there is no terminal: use --yes.`,
  );
}
