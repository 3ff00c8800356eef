import type { LockInstance } from '../contracts/fleet.contract.js';
import { checkKey, checkName } from '../core/name.checks.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { readLock } from '../lock-list/single.lock.reader.js';
import { holderName, reportsOf, withInstances } from './instance.view.js';
import { showTime, type LockView } from '../lock-list/lock.view.js';
import { knownInstances } from '../command-line/with.locks.js';

/** Reads the lock of that name. @throws LockConfigurationError `INVALID_NAME` */
export async function viewLock({ line: { name, prefix }, session }: CommandContext): Promise<LockView> {
  checkName(name);
  const key = `${session.keyPrefix}${prefix}${name}`;
  checkKey(name, key);
  return await readLock(session, key, name);
}

/** `show <name>`. */
export async function show(context: CommandContext): Promise<number> {
  const view = await viewLock(context);
  const { terminal } = context;
  const instances = await knownInstances(context);
  if (context.line.isJson) terminal.json(withInstances(view, instances));
  else for (const text of describe(view, instances)) terminal.line(text);
  if (view.kind === 'free')
    terminal.note(
      `No process holds "${view.name}" or waits for it. If you expect one, check that its namePrefix is "${context.line.prefix}"; ls lists all locks.`,
    );
  return EXIT.done;
}

function describe(view: LockView, instances: readonly LockInstance[]): string[] {
  const { name, key, kind, holders, left, ttl, queue, waiting, listeners } = view;
  const named = (holder: string) => {
    const instance = holderName(holder, instances);
    return instance === undefined ? holder : `${holder} (${instance})`;
  };
  const rows: [string, string][] = [
    ['name', name],
    ['key', key],
    ['kind', kind],
    ...(left === undefined ? [] : [['left', `${left}`] satisfies [string, string]]),
    ...holders.map(({ holder, count }): [string, string] => ['holder', `${named(holder)}, ${count} ×`]),
    ['lease', showTime(ttl)],
    ['waiting', `${waiting} in the queue; ${listeners ?? 'an unknown number of'} connections listen`],
    ...[...queue, ...view.places].map((holder, index): [string, string] => [
      `  ${index + 1}.`,
      named(holder),
    ]),
    ...reportsOf(name, instances).flatMap(({ instance, permits, waiting: callers }): [string, string][] => [
      ...(permits > 0 ? [['permits', `${permits} held by ${instance}`] satisfies [string, string]] : []),
      ...(callers > 0 ? [['callers', `${callers} wait in ${instance}`] satisfies [string, string]] : []),
    ]),
  ];
  return rows.map(([what, value]) => `${what.padEnd(9)}${value}`);
}
