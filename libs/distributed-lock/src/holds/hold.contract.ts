import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import type { ReleaseScript } from './hold.count.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** The owner of a hold: it is notified when the hold ends, and releases the lock. */
export interface HoldOwner<H> {
  readonly context: LockContext;
  readonly target: LockTarget;
  /**
   * The last acquisition was unlocked: frees the lock, by `finish` where a run ends with it, or hands it on.
   * @param at the monotonic clock
   */
  free(hold: H, finish: ReleaseScript | undefined, at: number): Promise<UnlockOutcome>;
  /** The lease was lost. */
  lost(hold: H): void;
}

/** What makes a hold the run of a tick. */
export interface TickRun {
  readonly tick: number;
  readonly attempt: number;
  readonly token: bigint;
  /** Stores the outcome and lowers the count in one step. */
  readonly finish: ReleaseScript;
  /** The application shuts down, and cannot wait for its work any more: that is how it ended, whatever becomes of its lock. */
  readonly stop: () => void;
  /** Ends it for an application that shuts down and cannot wait for its work any more. Safe to repeat. */
  readonly abandon: () => Promise<ReleaseReply>;
}
