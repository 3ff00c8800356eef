import { AsyncLocalStorage } from 'node:async_hooks';
import { BucketHeap } from './bucket.heap.js';
import { append, ring, unlink, type RingMember } from './ring.js';
import { now } from './monotonic.clock.js';
import { machine } from './machine.js';

/** Something that can wait in the wheel, for one instant at a time. */
export abstract class Timer {
  /** @internal */
  next: RingMember = this;
  /** @internal */
  previous: RingMember = this;
  /** @internal The ms in which it is due. */
  bucket = 0;

  /** Whether it is for the wheel's own purposes: it neither counts nor keeps the process alive. */
  get isBackground(): boolean {
    return false;
  }

  /** Whether it waits. */
  get isSet(): boolean {
    return this.next !== this;
  }

  /** Must not throw. */
  abstract run(): void;
}

class Callback extends Timer {
  constructor(readonly run: () => void) {
    super();
  }
}

class Background extends Timer {
  constructor(readonly run: () => void) {
    super();
  }

  override get isBackground(): boolean {
    return true;
  }
}

/** The longest delay that a Node timer takes. */
const LONGEST_DELAY = 2_147_483_647;

/** Buckets beyond the number of timers that may be empty: most of them are used again, or gone soon. */
const SLACK = 128;

/**
 * Every deadline of a module instance on one Node timer: leases, waits, renewals, round trips.
 * A bucket is one millisecond, and a ring of those that are due in it. When nothing waits the Node timer does not keep the
 * process alive; it is left to run out, as most of what waits is cancelled long before its time and the next one comes soon.
 */
export class TimerWheel {
  readonly #buckets = new Map<number, RingMember>();
  /** The caller's async context must neither be kept alive by our timer nor seen by other callers' callbacks. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #handle: NodeJS.Timeout | undefined;
  #armedFor = Infinity;
  /** A timer that a test has faked does not run out when its clock is taken away: it must not be relied on from then. */
  #armedBy: typeof setTimeout | undefined;
  /** While timers run: the first bucket that is not theirs. What they set, however late it is, must not run among them. */
  #next = -Infinity;
  #size = 0;
  /** Those in the background, too. */
  #waiting = 0;

  constructor(private readonly order = new BucketHeap()) {}

  /** Timers that wait, but for those in the background. */
  get size(): number {
    return this.#size;
  }

  /** Runs `run` once the monotonic clock has reached `at`; at the next turn when it already has. `run` must not throw. */
  at(at: number, run: () => void): Timer {
    const timer = new Callback(run);
    this.set(timer, at);
    return timer;
  }

  /** Runs `run` in `delay` ms. */
  after(delay: number, run: () => void): Timer {
    return this.at(now() + delay, run);
  }

  /** Creates a timer for the background, which is not set yet: for periodic checks. `run` must not throw. */
  background(run: () => void): Timer {
    return new Background(run);
  }

  /** Sets a timer to run once the monotonic clock has reached `at`, instead of the time that it was set for. */
  set(timer: Timer, at: number): void {
    if (timer.next !== timer) this.cancel(timer);
    const bucket = Math.max(Math.ceil(at), this.#next);
    let timers = this.#buckets.get(bucket);
    if (timers === undefined) {
      timers = ring();
      this.#buckets.set(bucket, timers);
      this.order.push(bucket);
    }
    timer.bucket = bucket;
    append(timer, timers);
    this.#waiting += 1;
    if (bucket < this.#armedFor || this.#armedBy !== machine.global.setTimeout) this.#arm(bucket);
    if (!timer.isBackground) this.hold();
  }

  /** Keeps the process alive as a timer does, for something whose timer is in the background. */
  hold(): void {
    this.#size += 1;
    if (this.#size === 1) this.#handle?.ref();
  }

  /** Ends a {@link hold}. */
  letGo(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#handle?.unref();
  }

  /** Resolves in `delay` ms. */
  pause(delay: number): Promise<void> {
    return new Promise((resolve) => this.after(delay, resolve));
  }

  /** Resolves with the result of `work`, or with undefined after `ms`: then the work goes on, and its result is dropped. */
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
    if (timer === undefined || timer.next === timer) return;
    this.#take(timer);
    if (this.#buckets.size > 2 * this.#waiting + SLACK) this.#sweep();
  }

  #take(timer: Timer): void {
    unlink(timer);
    this.#waiting -= 1;
    if (!timer.isBackground) this.letGo();
  }

  #arm(bucket: number): void {
    const { clearTimeout, setTimeout } = machine.global;
    clearTimeout(this.#handle);
    this.#armedFor = bucket;
    this.#armedBy = setTimeout;
    const delay = Math.min(Math.max(bucket - now(), 0), LONGEST_DELAY);
    this.#handle = this.#outside(() => setTimeout(() => this.#fire(), delay));
    if (this.#size === 0) this.#handle.unref();
  }

  #fire(): void {
    this.#handle = undefined;
    this.#armedFor = Infinity;
    const reached = now();
    this.#next = Math.floor(reached) + 1;
    for (let first = this.order.first; first !== undefined && first <= reached; first = this.order.first) {
      this.order.pop();
      const due = this.#buckets.get(first);
      this.#buckets.delete(first);
      // A callback may cancel a later timer of its own ms, which is skipped then; one that it sets waits for the next turn.
      for (let timer = due?.next; timer instanceof Timer; timer = due?.next) {
        this.#take(timer);
        timer.run();
      }
    }
    this.#next = -Infinity;
    this.#sweepFront();
    if (this.order.first !== undefined && this.order.first < this.#armedFor) this.#arm(this.order.first);
  }

  /** What is empty at the front needs no Node timer. */
  #sweepFront(): void {
    for (let { first } = this.order; first !== undefined; { first } = this.order) {
      const timers = this.#buckets.get(first);
      if (timers !== undefined && timers.next !== timers) return;
      this.order.pop();
      this.#buckets.delete(first);
    }
  }

  #sweep(): void {
    for (const [bucket, timers] of this.#buckets) if (timers.next === timers) this.#buckets.delete(bucket);
    this.order.rebuild(this.#buckets.keys());
  }
}
