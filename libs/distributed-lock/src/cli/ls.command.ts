import type { CommandContext } from './command.context.js';
import { EXIT } from './exit.codes.js';
import { findLocks } from './lock.finder.js';
import { showTime, type LockView } from './lock.view.js';

/** `ls`. */
export async function list({ line, session, terminal }: CommandContext): Promise<number> {
  const { locks, isCut } = await findLocks(session, line.prefix, line.limit);
  if (line.isJson) terminal.json({ locks, isCut });
  else if (locks.length === 0) terminal.line(`There is no lock with the prefix "${line.prefix}".`);
  else terminal.table(['NAME', 'KIND', 'HOLDER', 'COUNT', 'LEASE', 'WAITING'], locks.map(rowOf));
  if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit, or give a longer --prefix.`);
  return EXIT.done;
}

function rowOf({ name, kind, holders, left, ttl, waiting, listeners }: LockView): string[] {
  const [first, ...others] = holders;
  const holder = first === undefined ? '-' : first.holder;
  return [
    name,
    kind,
    others.length === 0 ? holder : `${holder} and ${others.length} more`,
    `${left ?? first?.count ?? 0}`,
    showTime(ttl),
    kind === 'fair lock' ? `${waiting} in the queue` : listeners ? `in ${listeners} processes` : '-',
  ];
}
