import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { CallingInstance } from './calling.instance.js';

/** How a holder shares its lock with others. */
export type Sharing = 'alone' | 'with readers';

/** A holder that may believe in its lock. */
export interface Belief {
  readonly instance: CallingInstance;
  readonly key: string;
  readonly sharing: Sharing | 'by permit';
  readonly handle: Pick<LockHandle, 'holder' | 'isHeld' | 'token'>;
  /** Whether the watchdog renews it. */
  readonly isRenewed?: boolean;
  /** The locks that it holds as one with this one: it believes in all of them, or in none. */
  readonly others?: readonly Belief[];
  /** From when the store may have granted it, in ms, where that was before its caller believed in it. */
  readonly since?: number;
}

/** Where a believed lock should be. */
interface LockStore {
  hash(key: string): ReadonlyMap<string, unknown>;
  permits(key: string): { has(id: string): boolean };
}

/** Whether the store has what is believed. A writer has a field of its own, as in Redisson, also beside that of a read in its scope. */
export function isStored(store: LockStore, { key, sharing, handle: { holder } }: Belief): boolean {
  if (sharing === 'by permit') return store.permits(key).has(holder);
  const fields = store.hash(key);
  return fields.has(holder) || (sharing === 'alone' && fields.has(`${holder}:write`));
}

/** A caller that waits for a lock, or for several as one. */
export interface Wish {
  readonly instance: CallingInstance;
  readonly key: string;
  /** The keys of the other locks that it waits for together with this one, one after the other. */
  readonly others?: readonly string[];
  readonly since: number;
  /** How long the lock may be free meanwhile, in ms, while nothing is wrong. */
  readonly bound: number;
  /** The same where two other processes were hurt meanwhile. @default {@link bound} */
  readonly boundOfTwo?: number | undefined;
  /** Whether a fault of another instance delays it as well, which may come before it. */
  readonly hasOthersBefore?: boolean;
  /** A candidate leaves its election as soon as its process is shut down; a waiter may still get its lock. @default false */
  readonly endsWithShutdown?: boolean;
}

/** A rule that was broken. */
export interface Violation {
  readonly rule: string;
  readonly at: number;
  readonly event: number;
  readonly what: string;
}
