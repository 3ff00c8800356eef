import type { UnlockOutcome } from '../contracts/lock.contract.js';

/** Follows a handle from its grant to its end. A handle without listeners has none. */
export interface HandleWatch {
  /** The lease was lost before the handle was unlocked. */
  lost(why: string): void;
  /** The handle is being unlocked. */
  unlocking(outcome: Promise<UnlockOutcome>): void;
  /** Runs the work of its section. */
  around<T>(work: () => T): T;
}

/** A handle that can be followed. */
export interface Watchable {
  readonly holder: string;
  readonly token: bigint | undefined;
  /** Follows it from now on; an event that has happened already is reported at once. */
  watch(watch: HandleWatch): void;
}
