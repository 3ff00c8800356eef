import { forceUnlock, hasChangedHands } from '../service/forced.release.js';
import { UsageError } from '../command-line/command.line.js';
import type { CommandContext } from '../command-line/command.context.js';
import { isAgreed } from '../command-line/confirmation.js';
import { EXIT } from '../command-line/exit.codes.js';
import { showTime, type LockView } from '../lock-list/lock.view.js';
import { viewLock } from './show.command.js';
import { withLocks } from '../command-line/with.locks.js';

/** `unlock <name>`: frees a lock, whichever client holds it. */
export async function unlock(context: CommandContext): Promise<number> {
  const { line, terminal } = context;
  const view = await viewLock(context);
  if (view.left !== undefined || view.kind === 'something else')
    throw new UsageError(`"${line.name}" is not a lock but a ${view.kind}, and was not changed.`);
  const isHeld = view.holders.length > 0;
  const unasked = `unlock asks before it releases "${view.name}"`;
  if (isHeld && !line.isSure) {
    const refusal = await refusalOf(context, view, unasked);
    if (refusal !== undefined) {
      terminal.note(refusal);
      return EXIT.unwell;
    }
  }
  const isFreed = isHeld && (await free(context, view));
  if (line.isJson) terminal.json({ name: line.name, freed: isFreed, holders: view.holders });
  else
    terminal.line(
      isFreed
        ? `"${line.name}" was released. Its holder notices the loss at its next renewal or check.`
        : `"${line.name}" is not locked.`,
    );
  return EXIT.done;
}

/** Why the lock is not released; undefined if the operator agrees, and the lock has the holder that the question named. */
async function refusalOf(
  context: CommandContext,
  view: LockView,
  unasked: string,
): Promise<string | undefined> {
  if (!(await isAgreed(context.terminal, questionOf(view), unasked))) return 'Nothing was done.';
  const shown = view.holders.map(({ holder }) => holder);
  if (!hasChangedHands(await viewLock(context), shown)) return undefined;
  return `Nothing was done: "${view.name}" has another holder by now.`;
}

function questionOf({ name, kind, holders, ttl }: LockView): string {
  const who = holders.map(({ holder }) => holder).join(', ');
  return `The ${kind} "${name}" is held by ${who}, with a lease of ${showTime(ttl)}. The holder continues to work until it notices the loss. Release the lock?`;
}

async function free(context: CommandContext, view: LockView): Promise<boolean> {
  return await withLocks(context, (locks) => forceUnlock(locks, view));
}
