import { promised } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { instant, safetyMargin, type Lease } from './lease.js';
import type { LeaseListener } from './lease.listener.js';
import { LeaseRequest, type LeaseAnswer } from './lease.request.js';
import { SuspendWatch } from './suspend.watch.js';
import { machine } from '../timing/machine.js';

/** Requests for leases of one lease time start at so many instants of it, three for each lease: the leases of one instant share a call. */
const ROUNDS_PER_LEASE = 12;

/** What the sum of a round and a third may lack because of floating-point numbers. */
const ROUNDING = 1e-6;

/**
 * Sends a request for every watched lease of a module instance at a third of its time: renews it, or, when it is fixed, checks that
 * it still exists; and notifies the holder when a deadline has come. The instants of a lease time are the same for all its leases, so that
 * one call takes up to 100 of them, and they differ between instances, so that a fleet does not send in step. A round that fails
 * concerns only its own leases, and each of them is requested again by itself.
 */
export class Watchdog {
  /**
   * Called within about a second after the machine was suspended, for holds may have ended meanwhile without a timer, and each second again
   * while it returns true: some are in doubt yet.
   */
  onSuspended: (() => boolean) | undefined;
  readonly #phase = machine.global.Math.random();
  readonly #suspends: SuspendWatch;
  /** A field: nearly every lock finds that the clocks are being compared. */
  #seesSuspends = false;
  #size = 0;

  constructor(private readonly wheel: TimerWheel) {
    this.#suspends = new SuspendWatch(
      wheel,
      () => (this.#seesSuspends = this.#size > 0),
      () => this.onSuspended?.() ?? false,
    );
  }

  /** The number of watched leases. */
  get size(): number {
    return this.#size;
  }

  /**
   * Watches a lease from now on. The next request for a watched lease is sent earlier where its lease time has become shorter, and its
   * holder is notified of a deadline that has come nearer.
   * @param at the monotonic clock
   */
  watch(lease: Lease, listener: LeaseListener, at = now()): void {
    if (lease.listener === undefined) {
      this.#size += 1;
      if (!this.#seesSuspends) this.#seeSuspends();
    }
    // A renewal under way for the previous listener notifies that one: the new listener gets requests of its own.
    lease.listener = listener;
    const round = this.#roundAt(at, listener.leaseTime);
    if (lease.due === undefined || round < lease.due) lease.due = round;
    this.#arm(lease);
  }

  /**
   * After this no renewal of the lease is sent. A renewal under way was sent before, and is guarded by the holder's field.
   * @param listener if given, the lease is unwatched only if this is its current listener
   */
  unwatch(lease: Lease, listener?: LeaseListener): void {
    if (lease.listener === undefined || (listener !== undefined && lease.listener !== listener)) return;
    lease.listener = undefined;
    lease.due = undefined;
    this.#size -= 1;
    this.wheel.cancel(lease);
  }

  /**
   * Sends a request at once: after a doubt, or for a grant that came late.
   * @param ttl the ttl of the renewal, in ms; 0 only checks the lease
   */
  renewNow(lease: Lease, ttl: number, listener?: LeaseListener): Promise<LeaseAnswer> {
    return new Promise((done) => {
      const request = new LeaseRequest({ lease, ttl, sent: instant(), listener, done });
      // By a promise: the answer is handled in the async context of the caller, as part of its request.
      void promised<number | undefined>((callback) =>
        request.send({ ...callback, isOutdated: () => request.isOutdated() }),
      ).then(
        (left) => request.answered(left),
        (error: unknown) => request.failed(error),
      );
    });
  }

  /**
   * How long ago a request for a lease was due, or a renewal where Redis gave no answer, in ms; 0 when its time has not come, or
   * while a first request is under way.
   */
  lateBy(lease: Lease): number {
    const at = now();
    return Math.max(0, at - (lease.due ?? Infinity), unansweredFor(lease, at));
  }

  /** To be called when something of a watched lease is due. */
  check(lease: Lease): void {
    const at = now();
    // After a stall both may be due: a lost hold is not renewed.
    lease.listener?.checkDeadlines(at);
    const { listener } = lease;
    if (listener === undefined) return;
    if (lease.due !== undefined && at >= lease.due) this.#renew(lease, listener, lease.due, at);
    this.#arm(lease);
  }

  #seeSuspends(): void {
    this.#seesSuspends = true;
    this.#suspends.begin();
  }

  #arm(lease: Lease): void {
    const at = Math.min(lease.due ?? Infinity, lease.listener?.nextDeadline ?? Infinity);
    if (at < Infinity && (!lease.isSet || at < lease.bucket - 1)) this.wheel.set(lease, at);
  }

  #renew(lease: Lease, listener: LeaseListener, due: number, at: number): void {
    // Until the answer arrives only the deadline of the lease counts.
    lease.due = undefined;
    const done = (confirmed: LeaseAnswer) => {
      // Unwatched, or handed to another hold while the reply was on its way: that hold gets requests of its own.
      if (lease.listener !== listener) return;
      if (confirmed === false) {
        this.unwatch(lease);
        return;
      }
      const { leaseTime } = listener;
      lease.due =
        confirmed === true
          ? this.#nextRound(Math.max(due, at - leaseTime / 30), leaseTime)
          : Math.ceil(now() + pauseOf(leaseTime));
      this.#arm(lease);
    };
    new LeaseRequest({ lease, ttl: listener.renewalTtl, sent: instant(at), listener, done }).send();
  }

  /** Counted from the round, not from its answer: so the leases of one round stay together. Not at once, however slow the answer was. */
  #nextRound(round: number, leaseTime: number): number {
    return Math.max(this.#roundAt(round, leaseTime), Math.ceil(now() + leaseTime / ROUNDS_PER_LEASE));
  }

  /**
   * The last round that is no more than a third of the lease time after `from`, in whole ms: the wheel runs its timers then anyway. A step
   * is longer than that, so that the next round is counted from it without skipping one.
   */
  #roundAt(from: number, leaseTime: number): number {
    const step = leaseTime / ROUNDS_PER_LEASE;
    const shift = this.#phase * step;
    return Math.ceil(Math.floor((from + leaseTime / 3 - shift) / step + ROUNDING) * step + shift);
  }
}

/** The pause after a failure: short, for several attempts before the deadline. */
function pauseOf(leaseTime: number): number {
  return Math.min(1000, Math.max(leaseTime / 10, safetyMargin(leaseTime)));
}

/** How long ago a third of a renewed lease was over, if Redis has not answered the renewal of that time: each failure sets `due` anew. */
function unansweredFor({ state, listener, deadline }: Lease, at: number): number {
  if (state !== 'unknown' || listener === undefined || listener.renewalTtl === 0) return 0;
  const { renewalTtl } = listener;
  return at - (deadline + safetyMargin(renewalTtl) - (renewalTtl * 2) / 3);
}
