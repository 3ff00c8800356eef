import { now, suspendedFor, wallOffset } from '../timing/monotonic.clock.js';
import { Timer } from '../timing/timer.wheel.js';
import type { Leased } from './lease.contract.js';
import type { LeaseListener } from './lease.listener.js';

/** `unknown`: no answer to the last renewal, or a clock that jumped. It is not `lost`: the deadline decides that. */
export type LeaseState = 'held' | 'renewed' | 'unknown' | 'lost';

/** How long before the end of a lease its holder stops relying on it, in ms. */
export function safetyMargin(lease: number): number {
  return Math.max(20, lease / 20);
}

/** Instants and spans of a lease are whole ms, and its deadline is rounded down: small integers, which are no objects. */
function wholeMargin(lease: number): number {
  return Math.ceil(safetyMargin(lease));
}

/** The clocks at one instant: what a lease is counted from. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

/** The clocks are read before sending: a lease counted from its reply would be too long by the way back. */
export function instant(at: number = now()): Instant {
  return { at, wall: wallOffset(at) };
}

/**
 * Whether a lease of `ttl` ms is no longer fresh at `at`: half of it is over, or the machine seems to have been suspended since it was
 * requested. No work may begin with a lease that is nearly at its end, or that Redis may have ended meanwhile.
 */
export function isStale({ at: sentAt, wall }: Instant, ttl: number, at: number = now()): boolean {
  return at - sentAt > ttl / 2 || suspendedFor(wall, at) > safetyMargin(ttl);
}

/** By how much PTTL may be less than the remaining time, in ms: it leaves out the fraction of a ms. */
const TRUNCATED = 1;

/** The limits of a lease that was shortened. */
interface Cap {
  /** No answer to a request sent before `until` may set the deadline beyond this. */
  ceiling: number;
  until: number;
  /** The number of unanswered requests that shorten the lease. */
  open: number;
}

/**
 * The lease of one holder id on one lock, as far as this process may rely on it. It is itself the timer in the wheel for its next
 * renewal, or its next deadline: that saves one object for each lock that is held.
 */
export class Lease extends Timer {
  /** @internal Is notified of changes of the lease, while it is watched. */
  listener: LeaseListener | undefined = undefined;
  /** @internal The monotonic instant of the next request; undefined while one is under way, and for an unwatched lease. */
  due: number | undefined = undefined;
  readonly #holder: string | number;
  #state: LeaseState = 'held';
  #longestTtl: number;
  #deadline: number;
  /** How long before its end the deadline is, in ms: a margin for clocks that disagree, and for a suspend. */
  #margin: number;
  #wall: number;
  /** Undefined for most leases, which are never shortened. */
  #cap: Cap | undefined;

  constructor(
    readonly target: Leased,
    holder: string,
    /** The ttl that Redis set with the grant, in ms. */
    ttl: number,
    sent: Instant,
  ) {
    super();
    this.#holder = target.holderIds.brief(holder);
    this.#margin = wholeMargin(ttl);
    this.#deadline = Math.floor(sent.at) + ttl - this.#margin;
    this.#wall = sent.wall;
    this.#longestTtl = ttl;
  }

  run(): void {
    this.listener?.checkLease();
  }

  get holder(): string {
    return this.target.holderIds.whole(this.#holder);
  }

  /** The longest lease that this holder requested from Redis, in ms: for this time after its last command it may hold the lock. */
  get longestTtl(): number {
    return this.#longestTtl;
  }

  /** A request for `ttl` ms is about to be sent; whether Redis answers or not, it may grant them. */
  expect(ttl: number): void {
    this.#longestTtl = Math.max(this.#longestTtl, ttl);
  }

  get state(): LeaseState {
    return this.#state;
  }

  /** The monotonic instant from which no caller may rely on the lease. */
  get deadline(): number {
    return this.#deadline;
  }

  /** Whether the machine seems to have been suspended for longer than the safety margin: then the deadline means nothing. */
  get isDoubtful(): boolean {
    return this.isDoubtfulAt(now());
  }

  /** {@link isDoubtful} at an instant of the monotonic clock that was read already. */
  isDoubtfulAt(at: number): boolean {
    return suspendedFor(this.#wall, at) > this.#margin;
  }

  /** Redis confirmed, to a request sent at `sent`, that `left` ms remain. */
  confirm(sent: Instant, left: number): void {
    if (this.#state === 'lost') return;
    this.#state = 'renewed';
    this.count(sent, left);
  }

  /**
   * Redis answered to a check sent at `sent`, which changed nothing, that `left` ms remain. A deadline that this allows stays: it was
   * counted from the grant, and the answer counts from a request that may have waited before it was sent.
   */
  confirmCheck(sent: Instant, left: number): void {
    const end = this.#deadline + this.#margin;
    if (this.isDoubtful || end > now() + left + TRUNCATED) this.confirm(sent, left);
    else if (this.#state !== 'lost') this.#state = 'renewed';
  }

  /** Redis has raised the ttl to at least `ttl` by a request sent at `sent`. */
  raise(sent: Instant, ttl: number): void {
    if (this.#state === 'lost') return;
    this.#state = 'renewed';
    if (Math.floor(sent.at) + ttl - wholeMargin(ttl) > this.#deadline) this.count(sent, ttl);
  }

  /**
   * From `sent` on a request is under way that sets the ttl to `ttl`, which may be shorter than before. An answer that Redis gave
   * before it did so does not move the deadline beyond that, however late the answer arrives.
   * @returns to be called when the request has been answered, or can have no effect any more
   */
  cap(sent: Instant, ttl: number): () => void {
    if (this.isFreeFor(sent)) this.#cap = undefined;
    const cap = (this.#cap ??= { ceiling: Infinity, until: -Infinity, open: 0 });
    cap.open += 1;
    const margin = wholeMargin(ttl);
    cap.ceiling = Math.min(cap.ceiling, Math.floor(sent.at) + ttl - margin);
    if (cap.ceiling < this.#deadline) {
      this.#deadline = cap.ceiling;
      this.#margin = margin;
    }
    return () => {
      cap.open -= 1;
      cap.until = now();
    };
  }

  doubt(): void {
    if (this.#state !== 'lost') this.#state = 'unknown';
  }

  lose(): void {
    this.#state = 'lost';
  }

  private count(sent: Instant, left: number): void {
    this.#margin = wholeMargin(left);
    this.#wall = sent.wall;
    const deadline = Math.floor(sent.at) + left - this.#margin;
    this.#deadline = this.isFreeFor(sent) ? deadline : Math.min(deadline, this.#cap?.ceiling ?? Infinity);
  }

  /** Whether the answer to a request sent at that instant was given after every shortening. */
  private isFreeFor({ at }: Instant): boolean {
    return this.#cap === undefined || (this.#cap.open === 0 && at >= this.#cap.until);
  }
}
