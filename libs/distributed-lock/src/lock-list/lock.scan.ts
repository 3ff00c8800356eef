import type { ServerSession } from '../connections/server.session.js';
import { whyReserved } from '../core/name.checks.js';
import { readLock } from './single.lock.reader.js';
import { isListed, type ListedLock } from './found.lock.js';
import type { LockView } from './lock.view.js';
import { RedisFailure } from '../redis/redis.failure.js';

/** Locks that are read at the same time. */
const ABREAST = 50;

/** The most steps of SCAN of a page: of a Redis with many other keys a page has few locks, or none. */
const STEPS = 20;

/** Where a page begins: a server, and the cursor of its next step. */
const PLACE = /^(\d{1,4})\.(\d{1,20})$/;

/** The locks to find. */
export interface LockQuery {
  /** The beginning of their keys. */
  readonly begins: string;
  /** The number of characters of a key in front of the name. */
  readonly prefixLength: number;
}

/** Some of the locks, in no order. */
export interface FoundPage {
  readonly locks: readonly ListedLock[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** Whether a text is the beginning of a page that {@link findPage} has returned. */
export function isPlace(text: string): boolean {
  return PLACE.test(text);
}

/**
 * Finds locks by bounded steps on every master. A page ends with the step that has reached `limit`, so it may have more; a lock may be
 * found twice.
 * @param from undefined for the first page
 * @throws RedisFailure
 */
export async function findPage(
  session: ServerSession,
  query: LockQuery,
  limit: number,
  from?: string,
): Promise<FoundPage> {
  const locks: ListedLock[] = [];
  let [index, cursor] = placeOf(from);
  for (let steps = 0; steps < STEPS && locks.length < limit; steps += 1) {
    const server = session.servers[index];
    if (server === undefined) return { locks, next: undefined };
    const step = await server.scan(query.begins, cursor);
    locks.push(...(await readAll(session, query, step.keys)));
    cursor = step.cursor;
    if (cursor === '0') index += 1;
  }
  return { locks, next: index < session.servers.length ? `${index}.${cursor}` : undefined };
}

/** Finds locks until there are more than `limit`, or all. By name. */
export async function findLocks(
  session: ServerSession,
  query: LockQuery,
  limit: number,
): Promise<FoundLocks> {
  const found = new Map<string, ListedLock>();
  for (let next: string | undefined = '0.0'; next !== undefined && found.size <= limit;) {
    const page: FoundPage = await findPage(session, query, limit, next);
    for (const view of page.locks) found.set(view.key, view);
    next = page.next;
  }
  const locks = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { locks: locks.slice(0, limit), isCut: locks.length > limit };
}

export interface FoundLocks {
  readonly locks: readonly ListedLock[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

async function readAll(
  session: ServerSession,
  { prefixLength }: LockQuery,
  keys: readonly string[],
): Promise<ListedLock[]> {
  // A scan may give a key twice. A key beside a lock whose name has braces begins like a lock.
  const own = [...new Set(keys)].filter((key) => whyReserved(key) === undefined);
  const views: (LockView | undefined)[] = [];
  for (let at = 0; at < own.length; at += ABREAST)
    views.push(
      ...(await Promise.all(
        own.slice(at, at + ABREAST).map((key) => readOne(session, key, key.slice(prefixLength))),
      )),
    );
  // A lock that was freed after it was found is free.
  return views.filter((view): view is ListedLock => view !== undefined && isListed(view));
}

/** Undefined for a key whose type changed while it was read. */
async function readOne(session: ServerSession, key: string, name: string): Promise<LockView | undefined> {
  try {
    return await readLock(session, key, name);
  } catch (error) {
    if (error instanceof RedisFailure && error.code === 'WRONGTYPE') return undefined;
    throw error;
  }
}

function placeOf(from = '0.0'): [number, string] {
  const [, index, cursor] = PLACE.exec(from) ?? [];
  return [Number(index ?? 0), cursor ?? '0'];
}
