import { AsyncLocalStorage } from 'node:async_hooks';
import { BucketHeap } from './bucket.heap.js';
import { now } from './monotonic.clock.js';

/** A deadline that waits in the wheel. */
export interface Timer {
  readonly bucket: number;
  /** Those that are due in the same ms and have neither run nor been cancelled. */
  readonly siblings: Set<Timer>;
  readonly run: () => void;
}

/** The longest delay that a Node timer takes. */
const LONGEST_DELAY = 2_147_483_647;

/** Numbers of buckets that are gone which the heap may keep beyond those in use. */
const SLACK = 1024;

/**
 * Every deadline of a module instance on one Node timer: leases, waits, renewals, round trips.
 * A bucket is one millisecond; setting and cancelling cost a map look-up. No Node timer is left when nothing waits.
 */
export class TimerWheel {
  readonly #buckets = new Map<number, Set<Timer>>();
  /** The caller's async context must neither be kept alive by our timer nor seen by other callers' callbacks. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #handle: NodeJS.Timeout | undefined;
  #armedFor = Infinity;
  /** While timers run: the first bucket that is not theirs. What they set, however late it is, must not run among them. */
  #next = -Infinity;
  #size = 0;

  constructor(private readonly order = new BucketHeap()) {}

  /** Timers that wait. */
  get size(): number {
    return this.#size;
  }

  /** Runs `run` once the monotonic clock has reached `at`; at the next turn when it already has. `run` must not throw. */
  at(at: number, run: () => void): Timer {
    const bucket = Math.max(Math.ceil(at), this.#next);
    let siblings = this.#buckets.get(bucket);
    if (siblings === undefined) {
      siblings = new Set();
      this.#buckets.set(bucket, siblings);
      this.order.push(bucket);
    }
    const timer: Timer = { bucket, siblings, run };
    siblings.add(timer);
    this.#size += 1;
    if (bucket < this.#armedFor) this.#arm(bucket);
    return timer;
  }

  /** Resolves in `delay` ms. */
  pause(delay: number): Promise<void> {
    return new Promise((resolve) => this.after(delay, resolve));
  }

  /** Runs `run` in `delay` ms. */
  after(delay: number, run: () => void): Timer {
    return this.at(now() + delay, run);
  }

  /** What `work` comes to within `ms`; undefined when it is late: then it goes on, and what it comes to is dropped. */
  async within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    let timer: Timer | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = this.after(ms, () => resolve(undefined));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      this.cancel(timer);
    }
  }

  cancel(timer: Timer | undefined): void {
    if (timer?.siblings.delete(timer) !== true) return;
    this.#size -= 1;
    if (timer.siblings.size === 0 && this.#buckets.get(timer.bucket) === timer.siblings)
      this.#buckets.delete(timer.bucket);
    if (this.#size === 0) this.#rest();
    else if (this.order.size > 2 * this.#buckets.size + SLACK) this.order.rebuild(this.#buckets.keys());
  }

  #arm(bucket: number): void {
    clearTimeout(this.#handle);
    this.#armedFor = bucket;
    const delay = Math.min(Math.max(bucket - now(), 0), LONGEST_DELAY);
    this.#handle = this.#outside(() => setTimeout(() => this.#fire(), delay));
  }

  #fire(): void {
    this.#armedFor = Infinity;
    const reached = now();
    this.#next = Math.floor(reached) + 1;
    for (let next = this.order.first; next !== undefined && next <= reached; next = this.order.first) {
      this.order.pop();
      const due = this.#buckets.get(next);
      this.#buckets.delete(next);
      for (const timer of due ?? []) {
        // A callback may cancel a later timer of its own ms, which is skipped then; one that it sets waits for the next turn.
        timer.siblings.delete(timer);
        this.#size -= 1;
        timer.run();
      }
    }
    this.#next = -Infinity;
    if (this.#size === 0) this.#rest();
    else if (this.order.first !== undefined && this.order.first < this.#armedFor) this.#arm(this.order.first);
  }

  #rest(): void {
    clearTimeout(this.#handle);
    this.#handle = undefined;
    this.#armedFor = Infinity;
    this.#buckets.clear();
    this.order.clear();
  }
}
