import type { ServerSession } from '../connections/server.session.js';
import { placeBeside } from '../scripts/wire.names.js';
import { readLock } from './lock.reader.js';
import type { LockView } from './lock.view.js';

/** Keys that a server checks in one step; it serves others between two steps. */
const STEP = '500';

/** Locks that are read at the same time. */
const ABREAST = 50;

export interface FoundLocks {
  readonly locks: readonly LockView[];
  /** Whether the limit was reached, so that there may be more. */
  readonly isCut: boolean;
}

/** Finds the keys on every master that have the prefix and look like a lock: by SCAN, which never blocks a server for long. */
export async function findLocks(session: ServerSession, prefix: string, limit: number): Promise<FoundLocks> {
  const whole = session.keyPrefix + prefix;
  const found = new Map<string, LockView>();
  for (const server of session.servers) {
    let cursor = '0';
    do {
      const reply = await server.ask('SCAN', cursor, 'MATCH', `${escapeGlob(whole)}*`, 'COUNT', STEP);
      const [next, keys] = Array.isArray(reply) ? reply : ['0', []];
      cursor = String(next);
      // A scan may give a key twice. A key beside a lock whose name has braces begins like a lock.
      const fresh = (Array.isArray(keys) ? keys.map(String) : []).filter(
        (key) => !found.has(key) && placeBeside(key) === undefined,
      );
      for (let at = 0; at < fresh.length; at += ABREAST) {
        const views = await Promise.all(
          fresh.slice(at, at + ABREAST).map((key) => readLock(session, key, key.slice(whole.length))),
        );
        for (const view of views) if (isLock(view)) found.set(view.key, view);
        if (found.size > limit) return cut(found, limit);
      }
    } while (cursor !== '0');
  }
  return cut(found, limit);
}

function isLock({ kind }: LockView): boolean {
  // A lock that was freed after it was found is free.
  return kind !== 'something else' && kind !== 'free';
}

function cut(found: ReadonlyMap<string, LockView>, limit: number): FoundLocks {
  const locks = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { locks: locks.slice(0, limit), isCut: locks.length > limit };
}

/** A prefix is text; SCAN takes a pattern. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, (character) => `\\${character}`);
}
