import type { UnlockOutcome } from '../contracts/lock.contract.js';

/** Follows a handle from its grant to its end. A handle that nobody listens to has none. */
export interface HandleWatch {
  /** The lease was lost before the handle was unlocked. */
  lost(why: string): void;
  /** The handle is being unlocked. */
  unlocking(outcome: Promise<UnlockOutcome>): void;
  /** Runs the work of its section. */
  around<T>(work: () => T): T;
}

/** What can be followed. */
export interface Watchable {
  readonly holder: string;
  readonly token: bigint | undefined;
  /** Follows it from now on; what has happened already is told at once. */
  watch(watch: HandleWatch): void;
}
