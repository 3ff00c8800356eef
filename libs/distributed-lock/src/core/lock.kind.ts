import type { LockKindName } from '../events/lock.listener.js';
import type { HolderForm } from '../renewal/lease.contract.js';
import type { LockScripts } from '../replies/lock.replies.js';

/** How the waiters of one process stand: see the three lines. */
export type LocalLockForm = 'exclusive' | 'queued' | 'shared';

/** A kind of lock: what it does in Redis, and by which of the rules that all kinds share its holders and waiters live. */
export interface LockKind {
  /** For events. */
  readonly id: LockKindName;
  /** For messages: "a fair lock". */
  readonly name: string;
  /** Kinds of one family may have one name: the two sides of a read/write lock. */
  readonly family: string;
  readonly scripts: LockScripts;
  readonly channelOf: (key: string) => string;
  readonly form: LocalLockForm;
  /** What a scope that holds it and asks again gets: one more count of its hold, an error, or a further hold like anybody else. */
  readonly reentry: 'counted' | 'refused' | 'another';
  /** Whether the next local waiter may go on under the same holder id, without a word to Redis. */
  readonly sharesHolder: boolean;
  /** Whether its waiters leave a mark in Redis, to be taken back when they leave: a place in a queue, the intent of a writer. */
  readonly marksWaiters: boolean;
  /** Whether its releases are told; where pub/sub is forbidden its waiters ask again and again, with growing pauses. */
  readonly publishesRelease: boolean;
  /** The longest that a waiter sleeps without asking, in ms. @default the module's `lockWatchdogTimeout` */
  readonly longestSleep?: number;
  /** Which side of a read/write lock it is: a scope that writes may read, and one that reads cannot write. */
  readonly side?: 'read' | 'write';
  /** Whether a payload of its channel is a reason to ask. @default `0` and `1` */
  readonly wakes?: (payload: string) => boolean;
  /**
   * The lease with which a release makes the next waiter the holder, in ms; by default it comes for it.
   * Short: nobody has said yet that it lives. It begins when it has renewed it.
   */
  readonly handoffLease?: number;
  /** Whether it is held, and waited for, as long as a process lives as a rule: `maxHold` and `warnAfter` are not for it. */
  readonly isLasting?: boolean;
  /** Makes the ids of its holders, and keeps them. */
  readonly holders: HolderForm & { readonly next: () => string };
}
