import type { LockKindName } from '../events/lock.event.types.js';
import type { HolderIdFormat } from '../renewal/lease.contract.js';
import type { LockScripts } from '../replies/lock.replies.js';
import type { QueueScripts } from '../replies/queue.replies.js';

/** The form of the local lock: see the three classes in `local/`. */
export type LocalLockForm = 'exclusive' | 'queued' | 'shared';

/** Makes the ids of holders. */
export interface HolderIdSource extends HolderIdFormat {
  next(): string;
}

/** A kind of lock: its scripts, and the rules for its holders and waiters. */
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
  /** What a scope that holds the lock and requests it again gets: one more count of its hold, an error, or a further hold as any other caller. */
  readonly reentry: 'counted' | 'refused' | 'another';
  /** Whether a release may hand the lock to the next local waiter under the same holder id, without a call to Redis. */
  readonly reusesHolderId: boolean;
  /** Whether its waiters leave a mark in Redis that is removed when they leave: a place in a queue, the intent of a writer. */
  readonly marksWaiters: boolean;
  /** For kinds whose processes wait in a queue in Redis, so that a release notifies the first one. @default a release notifies all */
  readonly queue?: QueueScripts | undefined;
  /** The kind whose queue a release of this one notifies, where that is another one: the write side, for readers. @default this kind */
  readonly passesTo?: LockKind;
  /** A channel that a process subscribes beside the lock's while it waits, so that it is counted. @default none */
  readonly waitersChannelOf?: ((key: string) => string) | undefined;
  /** Whether its releases are published; where pub/sub is forbidden its waiters poll, with growing pauses. */
  readonly publishesRelease: boolean;
  /** The longest sleep of a waiter between two attempts, in ms. @default the module's `lockWatchdogTimeout` */
  readonly longestSleep?: number;
  /** The side of a read/write lock: a scope that writes may read, and a scope that reads cannot write. */
  readonly side?: 'read' | 'write';
  /** Whether a payload of its channel is a reason for an attempt. @default `0` and `1` */
  readonly wakes?: (payload: string) => boolean;
  /**
   * Lease in ms that a release gives to the next waiter when it hands the lock off; by default the waiter requests the lock itself.
   * Kept short because that waiter may be dead; the waiter renews the lease before its hold begins.
   */
  readonly handoffLease?: number;
  /** Whether the lock is held, and waited for, as long as a process lives as a rule: `maxHold` and `warnAfter` do not apply to it. */
  readonly isLasting?: boolean;
  /** Makes and stores the ids of its holders. */
  readonly holderIds: HolderIdSource;
}
