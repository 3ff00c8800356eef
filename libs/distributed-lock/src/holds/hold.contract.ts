import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { LossReason } from '../errors/loss.reasons.js';
import type { LockKindName } from '../events/lock.event.types.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import type { HandleOwner, HoldHandle } from './handle.js';
import type { HoldCount, ReleaseScript } from './hold.count.js';
import type { HoldTimers } from './hold.timers.js';
import type { LeaseControl } from './lease.control.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** The owner of a hold: it is notified when the hold ends, and releases the lock. */
export interface HoldOwner<H> {
  readonly registry: { readonly context: LockContext };
  readonly target: LockTarget;
  /**
   * The last acquisition was unlocked: frees the lock, or hands it on.
   * @param releaseScript frees it instead of the lock's own release: see {@link OwnRelease.script}
   * @param at the monotonic clock
   */
  free(hold: H, releaseScript: ReleaseScript | undefined, at: number): Promise<UnlockOutcome>;
  /** The lease was lost. */
  lost(hold: H, reason: LossReason): void;
}

/** A hold that is released by another script than its lock, such as the run of a tick, which stores its outcome with the release. */
export interface OwnRelease {
  /** For events and reports. */
  readonly kind: LockKindName;
  /** Releases the acquisition that the hold began with. */
  readonly script: ReleaseScript;
  /** Makes the handle of each acquisition. */
  readonly handleOf: (hold: HandleOwner, leaseTime: number | undefined, sentAt: number) => HoldHandle;
  /**
   * The application shuts down, and cannot wait for the work of this hold any more. Called before its loss is reported.
   * @returns releases the hold in Redis; safe to repeat
   */
  readonly giveUp: () => () => Promise<ReleaseReply>;
}

/** The terms of a hold that do not come from its lock. */
export interface HoldTerms {
  /** The maximum hold in ms. @default the module's `maxHold` */
  readonly maxHold?: number;
  /** @default the release of the lock */
  readonly ownRelease?: OwnRelease;
  /** Of a read hold under the id of a write hold: that one. */
  readonly writer?: PairedHold;
}

/** @param lease the lease in ms that another hold of the holder id needs yet; undefined: not known, or none */
export type PairedRequest<T> = (lease: number | undefined) => Promise<T>;

/** A hold beside another one, under the same holder id: what is done to that one's lease goes through it. */
export interface PairedHold {
  /**
   * Has `request` end, in its turn, a hold that may have kept their common ttl longer than this one needs it.
   * @param request may set the ttl down to the lease that it gets
   * @param doneOf settles when nothing of an answer is still to be sent. @default at once
   */
  endPaired<T>(request: PairedRequest<T>, doneOf?: (answer: T) => Promise<unknown>): Promise<T>;
}

/** What few holds have: most are taken, renewed and released, and nothing else. One field of a hold for all of it. */
export interface HoldExtras {
  terms?: HoldTerms;
  timers?: HoldTimers;
  token?: bigint;
  /** The acquisition that a hold with an own release began with. */
  first?: HoldHandle;
  /** Undefined where there never was more than the one acquisition that Redis counts. */
  count?: HoldCount;
  leaseControl?: LeaseControl;
}
