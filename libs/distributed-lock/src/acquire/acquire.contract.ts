import type { RedisFailure } from '../redis/redis.failure.js';
import type { Instant } from '../renewal/lease.js';
import type { Busy } from '../replies/lock.replies.js';

/** What is asked for, in ms. */
export interface AcquireTerms {
  /** Undefined for a lease that the watchdog renews. */
  readonly leaseTime: number | undefined;
  /** How long the caller is ready to wait from its first attempt on; 0 asks once. */
  readonly waitTime: number;
}

/** A grant as it comes from Redis. */
export interface AcquireResult {
  readonly kind: 'granted';
  readonly holder: string;
  /** The fixed lease that was asked for, in ms; undefined for a watchdog lease. */
  readonly leaseTime: number | undefined;
  readonly sent: Instant;
  /** When it was heard, on the monotonic clock. */
  readonly at: number;
  readonly token?: bigint | undefined;
  /** How many more holders there is room for. */
  readonly room?: number | undefined;
}

/** What came of an attempt. */
export type AttemptOutcome<G = AcquireResult> = G | Busy | RedisFailure;

/** What comes of asking with success. */
export interface Granted {
  readonly kind: 'granted';
}

/** Asks Redis for a contender. */
export interface AttemptPort<W = AcquireTerms, G extends Granted = AcquireResult> {
  /**
   * Must not throw.
   * @param conclude is called once, with what came of it: most locks are granted at once, and need no promise for that
   */
  request(wish: W, conclude: (news: AttemptOutcome<G>) => void): void;
  /** A message was heard that is a reason to ask. */
  onMessage?(payload: string): void;
  /** Sees to it that nothing of what was asked in vain is left. */
  abandon(): void;
}

/** For whom the contender asks. */
export interface AcquireHost<W = AcquireTerms, G extends Granted = AcquireResult> {
  /** What the first waiter wants; undefined when nobody waits, or this process has the lock by itself. */
  next(): W | undefined;
  /** A promise only where more is to be done before it asks again. */
  granted(grant: G): Promise<void> | void;
  /** What Redis said, or did not say: a waiter whose time is over is told by it, and a refusal for good ends every wait. */
  notGranted(news: Busy | RedisFailure): void;
  /** Whether anybody of this process waits. */
  readonly isWaitedFor: boolean;
  /** It asks from now on: the lock's line is kept until {@link end}. */
  begin(): void;
  end(): void;
}

/** How it hears that asking again may help. */
export interface WakeSource {
  /** Undefined where pub/sub is forbidden. */
  readonly channel: string | undefined;
  /** In ms. */
  readonly longestSleep: number;
  /** Whether a payload of the channel is a reason to ask. */
  readonly wakes: (payload: string) => boolean;
  /** Whether the channel is this contender's alone, and nobody counts who listens to it. @default false */
  readonly isOwn?: boolean;
}
