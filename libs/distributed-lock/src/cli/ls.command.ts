import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { withInstances } from './instance.view.js';
import { findLocks } from '../lock-list/lock.scan.js';
import { showTime, type LockView } from '../lock-list/lock.view.js';
import { prefixHint } from '../command-line/prefix.hint.js';
import { knownInstances } from '../command-line/with.locks.js';

/** `ls`. */
export async function list(context: CommandContext): Promise<number> {
  const { line, session, terminal } = context;
  const begins = session.keyPrefix + line.prefix;
  const query = { begins, prefixLength: begins.length };
  const { locks: found, isCut } = await findLocks(session, query, line.limit);
  const instances = found.length === 0 ? [] : await knownInstances(context);
  const locks = found.map((view) => withInstances(view, instances));
  if (line.isJson) terminal.json({ locks, isCut });
  else if (locks.length === 0)
    terminal.line(`There is no lock with the prefix "${line.prefix}". ${prefixHint}`);
  else terminal.table(['NAME', 'KIND', 'HOLDER', 'COUNT', 'LEASE', 'WAITING'], locks.map(lockRow));
  if (isCut) terminal.note(`There are more than ${line.limit}: raise --limit, or give a longer --prefix.`);
  return EXIT.done;
}

function lockRow({ name, kind, holders, left, ttl, waiting, listeners }: LockView): string[] {
  const [first, ...others] = holders;
  const holder = first === undefined ? '-' : (first.instance ?? first.holder);
  return [
    name,
    kind,
    others.length === 0 ? holder : `${holder} and ${others.length} more`,
    `${left ?? first?.count ?? 0}`,
    showTime(ttl),
    kind === 'fair lock' ? `${waiting} in the queue` : listeners ? `in ${listeners} processes` : '-',
  ];
}
