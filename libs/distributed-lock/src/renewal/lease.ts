import { now, suspendedFor, wallOffset } from '../timing/monotonic.clock.js';

/** `unknown`: no answer to the last renewal, or a clock that jumped. It is not `lost`: the deadline decides that. */
export type LeaseState = 'held' | 'renewed' | 'unknown' | 'lost';

/** How long before the end of a lease its holder stops believing in it, in ms. */
export function safetyMargin(lease: number): number {
  return Math.max(20, lease / 20);
}

/** The clocks at one instant: what a lease is counted from. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

/** Read before sending: a lease counted from its reply would be too long by the way back. */
export function instant(): Instant {
  return { at: now(), wall: wallOffset() };
}

/** Asks Redis to keep a lease, in the way of its kind. */
export interface Renewer {
  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only looks.
   * @returns what is left in ms (-1: no ttl), or undefined when the hold is gone
   */
  renew(lock: string, holder: string, lease: number): Promise<number | undefined>;
}

/** The lease of one holder id on one lock, as this process may believe in it. */
export class Lease {
  #state: LeaseState = 'held';
  #longest: number;
  #deadline: number;
  #wall: number;

  constructor(
    /** The lock's name in Redis. */
    readonly key: string,
    readonly holder: string,
    /** The ttl that was given with the grant, in ms. */
    readonly ttl: number,
    sent: Instant,
    readonly renewer: Renewer,
  ) {
    this.#deadline = sent.at + ttl - safetyMargin(ttl);
    this.#wall = sent.wall;
    this.#longest = ttl;
  }

  /** The longest lease that Redis was asked to give this holder, in ms: so long may it have the lock after its last command. */
  get longest(): number {
    return this.#longest;
  }

  /** Redis is about to be asked for `ttl` ms; whether it answers or not, it may give them. */
  expect(ttl: number): void {
    this.#longest = Math.max(this.#longest, ttl);
  }

  get state(): LeaseState {
    return this.#state;
  }

  /** The monotonic instant from which the lease must not be believed in. */
  get deadline(): number {
    return this.#deadline;
  }

  /** Whether the machine seems to have been suspended since Redis last confirmed the lease: then its deadline means nothing. */
  get isDoubtful(): boolean {
    return suspendedFor(this.#wall) > safetyMargin(this.ttl);
  }

  /** Redis confirmed, to a request sent at `sent`, that `left` ms remain. A deadline never moves back by a confirmation of more. */
  confirm(sent: Instant, left: number): void {
    if (this.#state === 'lost') return;
    this.#state = 'renewed';
    this.#deadline = sent.at + left - safetyMargin(left);
    this.#wall = sent.wall;
  }

  /**
   * Redis was asked at `sent` to change nothing, and has now said that `left` ms remain. A deadline that this allows stays: it was
   * counted from the grant, and the answer counts from a question that may have waited before it was sent.
   */
  look(sent: Instant, left: number): void {
    const before = this.#deadline;
    const isPossible = !this.isDoubtful && before <= now() + left - safetyMargin(left);
    this.confirm(sent, left);
    if (isPossible && this.#state !== 'lost') this.#deadline = Math.max(this.#deadline, before);
  }

  /** Redis has raised the ttl to at least `ttl` by a request sent at `sent`. */
  raise(sent: Instant, ttl: number): void {
    const later = sent.at + ttl - safetyMargin(ttl);
    const deadline = Math.max(this.#deadline, later);
    this.confirm(sent, ttl);
    if (this.#state !== 'lost') this.#deadline = deadline;
  }

  /** Redis was asked at `sent` to set the ttl to `ttl`, which may be shorter than before. */
  cap(sent: Instant, ttl: number): void {
    this.#deadline = Math.min(this.#deadline, sent.at + ttl - safetyMargin(ttl));
  }

  doubt(): void {
    if (this.#state !== 'lost') this.#state = 'unknown';
  }

  lose(): void {
    this.#state = 'lost';
  }
}
