import type { RedisFailure } from '../redis/redis.failure.js';
import type { Instant } from '../renewal/lease.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Placed, WaitTerms } from '../replies/queue.replies.js';

/** The terms of a request for a lock, in ms. */
export interface AcquireTerms {
  /** Undefined for a lease that the watchdog renews. */
  readonly leaseTime: number | undefined;
  /** How long the caller is ready to wait from its first attempt on: Infinity for no bound, 0 for a single attempt, which Redis answers in its own time. */
  readonly waitTime: number;
}

/** The reply of Redis that grants a lock. */
export interface AcquireResult {
  readonly kind: 'granted';
  readonly holder: string;
  /** The requested fixed lease, in ms; undefined for a watchdog lease. */
  readonly leaseTime: number | undefined;
  readonly sent: Instant;
  /** When the reply arrived, on the monotonic clock. */
  readonly at: number;
  readonly token?: bigint | undefined;
  /** How many more holders there is room for. */
  readonly room?: number | undefined;
}

/** The outcome of an attempt. */
export type AttemptOutcome<Result = AcquireResult> = Result | Busy | RedisFailure;

/** A request that succeeded. */
export interface GrantedResult {
  readonly kind: 'granted';
}

/** One kind of request to Redis, as the acquire loop makes it. */
export interface Attempt<Terms = AcquireTerms, Result extends GrantedResult = AcquireResult> {
  /**
   * Must not throw.
   * @param conclude is called once, with the outcome: most locks are granted at once, and need no promise for that
   */
  request(terms: Terms, conclude: (outcome: AttemptOutcome<Result>) => void): void;
  /** A message has arrived that is a reason for another request. */
  onMessage?(payload: string): void;
  /** Removes what failed requests may have left in Redis. */
  undo(): void;
}

/** The owner of an acquire loop: it knows the waiters. */
export interface LoopOwner<Terms = AcquireTerms, Result extends GrantedResult = AcquireResult> {
  /** The terms of the first waiter; undefined without a waiter, or while this process holds the lock. */
  next(): Terms | undefined;
  /** Returns a promise only if more is to be done before the next request. */
  granted(result: Result): Promise<void> | void;
  /** The lock is busy, or Redis did not answer. A refusal that is not transient ends every wait. */
  notGranted(outcome: Busy | RedisFailure): void;
  /** Whether this process has a waiter. */
  readonly hasWaiters: boolean;
  /** The loop runs: the local lock is kept until {@link end}. */
  begin(): void;
  end(): void;
}

/** An acquire loop, as what wakes it sees it. */
export interface Sleeper {
  /** Resolves after `delay` ms, or at a wake. A wake during the request before counts. */
  sleep(delay: number): Promise<void>;
  /** Ends the sleep, this one or the next; a loop that has stopped stays so. */
  endSleep(): void;
  /** A message has arrived that is a reason for a request; undefined where messages may have been missed. */
  onMessage(payload: string | undefined): void;
  /** It is the turn of this process: no pause for others. */
  onTurn(): void;
}

/** What wakes an acquire loop between two requests. */
export interface WakeSource {
  /** Whether this process is subscribed to the channel of the lock for it. */
  readonly isListening: boolean;
  /** Resolves when the next request is due. */
  sleep(busy: Busy, sleeper: Sleeper): Promise<void>;
  /** A request was granted. */
  granted?(): void;
  /** No waiter is left. */
  stop(): void;
}

/** The place of this process in the queue of a lock, as an attempt uses it. */
export interface WaitingPlace {
  /** Whether it could not be notified of its turn: it is to take the lock when it is free, whichever processes wait. False before it has tried to subscribe. */
  readonly isUnreachable: boolean;
  /** A request begins. @param holder the holder id of the request @returns what the place adds to it; undefined while a message for it would not arrive */
  beginRequest(holder: string): WaitTerms | undefined;
  /**
   * A request was granted: the process has left the queue.
   * @param isListener whether Redis lists this process as a listener; undefined after a request without these terms
   * @param called the place that the grant has notified; undefined for none
   */
  wasGranted(isListener?: boolean, called?: string): void;
  /** A request with these terms was refused: the process has a place. */
  wasPlaced(reply: Placed): void;
}
