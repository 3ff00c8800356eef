import type { RedisFailure } from '../redis/redis.failure.js';
import type { Instant } from '../renewal/lease.js';
import type { Busy } from '../replies/lock.replies.js';

/** What a caller asks for, in ms. */
export interface AcquireTerms {
  /** Undefined for a lease that the watchdog renews. */
  readonly leaseTime: number | undefined;
  /** How long the caller is ready to wait from its first attempt on; 0 asks once. */
  readonly waitTime: number;
}

/** The reply of Redis that grants a lock. */
export interface AcquireResult {
  readonly kind: 'granted';
  readonly holder: string;
  /** The fixed lease that was asked for, in ms; undefined for a watchdog lease. */
  readonly leaseTime: number | undefined;
  readonly sent: Instant;
  /** When the reply arrived, on the monotonic clock. */
  readonly at: number;
  readonly token?: bigint | undefined;
  /** How many more holders there is room for. */
  readonly room?: number | undefined;
}

/** The outcome of an attempt. */
export type AttemptOutcome<G = AcquireResult> = G | Busy | RedisFailure;

/** A request that succeeded. */
export interface Granted {
  readonly kind: 'granted';
}

/** One kind of request to Redis, as the acquire loop makes it. */
export interface AttemptPort<W = AcquireTerms, G extends Granted = AcquireResult> {
  /**
   * Must not throw.
   * @param conclude is called once, with what came of it: most locks are granted at once, and need no promise for that
   */
  request(terms: W, conclude: (outcome: AttemptOutcome<G>) => void): void;
  /** A message has arrived that is a reason to ask again. */
  onMessage?(payload: string): void;
  /** Removes what failed requests may have left in Redis. */
  abandon(): void;
}

/** The owner of an acquire loop: it knows the waiters. */
export interface AcquireHost<W = AcquireTerms, G extends Granted = AcquireResult> {
  /** The terms of the first waiter; undefined without a waiter, or while this process holds the lock. */
  next(): W | undefined;
  /** A promise only where more is to be done before it asks again. */
  granted(grant: G): Promise<void> | void;
  /** The lock is busy, or Redis did not answer. A refusal that is not transient ends every wait. */
  notGranted(outcome: Busy | RedisFailure): void;
  /** Whether this process has a waiter. */
  readonly isWaitedFor: boolean;
  /** The loop runs: the local lock is kept until {@link end}. */
  begin(): void;
  end(): void;
}

/** What wakes the acquire loop. */
export interface WakeSource {
  /** Undefined where pub/sub is forbidden. */
  readonly channel: string | undefined;
  /** In ms. */
  readonly longestSleep: number;
  /** Whether a payload of the channel is a reason to ask. */
  readonly wakes: (payload: string) => boolean;
  /** Whether the channel has no other listener, so that nothing counts its subscribers. @default false */
  readonly isOwn?: boolean;
}
