import { now, suspendedFor, wallOffset } from '../timing/monotonic.clock.js';
import { Timer } from '../timing/timer.wheel.js';
import type { Leased } from './lease.contract.js';
import type { LeaseListener } from './lease.listener.js';

/** `unknown`: no answer to the last renewal, or a clock that jumped. It is not `lost`: the deadline decides that. */
export type LeaseState = 'held' | 'renewed' | 'unknown' | 'lost';

/** How long before the end of a lease its holder stops believing in it, in ms. */
export function safetyMargin(lease: number): number {
  return Math.max(20, lease / 20);
}

/** Instants and spans of a lease are whole ms, those of its deadline never later: small integers, which are no objects. */
function wholeMargin(lease: number): number {
  return Math.ceil(safetyMargin(lease));
}

/** The clocks at one instant: what a lease is counted from. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

/** Read before sending: a lease counted from its reply would be too long by the way back. */
export function instant(at: number = now()): Instant {
  return { at, wall: wallOffset(at) };
}

/** How much less than what is left PTTL may say, in ms: it leaves out what is no whole one. */
const TRUNCATED = 1;

/** What holds for a lease that was shortened. */
interface Cap {
  /** No answer to a question before `until` may set the deadline beyond this. */
  ceiling: number;
  until: number;
  /** Requests that shorten it and have not been answered. */
  open: number;
}

/**
 * The lease of one holder id on one lock, as this process may believe in it. It is itself what waits in the wheel for its next
 * question, or its next deadline: for each lock that is held an object less.
 */
export class Lease extends Timer {
  /** @internal Who hears what becomes of it, while it is looked after. */
  listener: LeaseListener | undefined = undefined;
  /** @internal The monotonic instant of the next question; undefined while one is under way, and where nobody asks. */
  due: number | undefined = undefined;
  readonly #holder: string | number;
  #state: LeaseState = 'held';
  #longest: number;
  #deadline: number;
  /** How long before its end the deadline is, in ms: what clocks that disagree, and a suspend, may take. */
  #margin: number;
  #wall: number;
  /** Most leases are never shortened. */
  #cap: Cap | undefined;

  constructor(
    readonly target: Leased,
    holder: string,
    /** The ttl that was given with the grant, in ms. */
    ttl: number,
    sent: Instant,
  ) {
    super();
    this.#holder = target.holders.brief(holder);
    this.#margin = wholeMargin(ttl);
    this.#deadline = Math.floor(sent.at) + ttl - this.#margin;
    this.#wall = sent.wall;
    this.#longest = ttl;
  }

  run(): void {
    this.listener?.checkLease();
  }

  get holder(): string {
    return this.target.holders.whole(this.#holder);
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

  /** Whether the machine seems to have been suspended for longer than the deadline has to spare: then it means nothing. */
  get isDoubtful(): boolean {
    return this.isDoubtfulAt(now());
  }

  /** The same, where the monotonic clock was read already. */
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
   * Redis was asked at `sent` to change nothing, and has now said that `left` ms remain. A deadline that this allows stays: it was
   * counted from the grant, and the answer counts from a question that may have waited before it was sent.
   */
  look(sent: Instant, left: number): void {
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
   * From `sent` on Redis is asked to set the ttl to `ttl`, which may be shorter than before. What it has said before it did so
   * makes the deadline no later, however late that is heard.
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

  /** Whether what is answered to a question of that instant was found after every shortening. */
  private isFreeFor({ at }: Instant): boolean {
    return this.#cap === undefined || (this.#cap.open === 0 && at >= this.#cap.until);
  }
}
