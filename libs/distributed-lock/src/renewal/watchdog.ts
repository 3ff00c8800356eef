import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { instant, safetyMargin, type Lease } from './lease.js';

/** Hears what becomes of a watched lease. */
export interface LeaseListener {
  /** What to renew to now, in ms; 0 for a fixed lease, which is only looked at. */
  readonly renewalTtl: number;
  /** Redis says that the holder has nothing. */
  gone(): void;
  /** No answer; the deadline decides. Called once per trouble. */
  unknown(why: string): void;
}

/** Renewals fall into slots of a sixtieth of the lease, so that leases of one slot share a call. */
const SLOTS_PER_LEASE = 60;

/**
 * Asks for every watched lease of a module instance at a third of its time: renews it, or, when it is fixed, looks whether it is
 * still there. The shared timer and the runner's batches make one call of up to 100 leases. A round that fails concerns only its
 * own leases, and each asks again by itself.
 */
export class Watchdog {
  readonly #watched = new Map<Lease, { timer: Timer; listener: LeaseListener }>();

  constructor(
    private readonly wheel: TimerWheel,
    /** The ttl of a renewed lease, in ms; it is renewed at a third of it. Fixed leases that are longer are looked at as often. */
    private readonly ttl: number,
  ) {}

  /** Leases that are looked after. */
  get size(): number {
    return this.#watched.size;
  }

  watch(lease: Lease, listener: LeaseListener): void {
    this.unwatch(lease);
    const span = this.#spanOf(lease, listener);
    this.#watched.set(lease, { listener, timer: this.#schedule(lease, span, span / 3) });
  }

  /** After this no renewal of the lease is sent. One under way was sent before, and is guarded by the holder's field. */
  unwatch(lease: Lease): void {
    this.wheel.cancel(this.#watched.get(lease)?.timer);
    this.#watched.delete(lease);
  }

  isWatching(lease: Lease): boolean {
    return this.#watched.has(lease);
  }

  /**
   * Asks at once: after a doubt, or for a grant that came late.
   * @param ttl what to renew to in ms; 0 only looks
   * @returns whether Redis confirmed the lease; undefined without an answer
   */
  async renewNow(lease: Lease, ttl: number, listener?: LeaseListener): Promise<boolean | undefined> {
    const sent = instant();
    try {
      const left = await lease.renewer.renew(lease.key, lease.holder, ttl);
      if (left === undefined) {
        lease.lose();
        this.#listener(lease, listener)?.gone();
        return false;
      }
      const known = left === -1 ? lease.ttl : left;
      if (ttl > 0) lease.confirm(sent, known);
      else lease.look(sent, known);
      return true;
    } catch (error) {
      const told = lease.state === 'unknown';
      lease.doubt();
      if (!told)
        this.#listener(lease, listener)?.unknown(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** A lease may have been handed to its next hold while the question was on its way: the answer is for that one. */
  #listener(lease: Lease, asked: LeaseListener | undefined): LeaseListener | undefined {
    return this.#watched.get(lease)?.listener ?? asked;
  }

  /** What a lease's rounds are a third of, in ms. */
  #spanOf(lease: Lease, { renewalTtl }: LeaseListener): number {
    return renewalTtl > 0 ? this.ttl : Math.min(lease.ttl, this.ttl);
  }

  #schedule(lease: Lease, span: number, delay: number): Timer {
    const slot = span / SLOTS_PER_LEASE;
    const jittered = now() + delay * (0.9 + 0.1 * Math.random());
    return this.wheel.at(Math.floor(jittered / slot) * slot, () => void this.#renew(lease));
  }

  async #renew(lease: Lease): Promise<void> {
    const watched = this.#watched.get(lease);
    if (watched === undefined) return;
    const confirmed = await this.renewNow(lease, watched.listener.renewalTtl);
    // Unwatched, or handed to another hold while the reply was on its way: that one has a timer of its own.
    if (this.#watched.get(lease) !== watched) return;
    if (confirmed === false) {
      this.unwatch(lease);
      return;
    }
    const span = this.#spanOf(lease, watched.listener);
    watched.timer = this.#schedule(lease, span, confirmed === true ? span / 3 : pauseOf(span));
  }
}

/** After a failure: soon, and often enough to have several chances before the deadline. */
function pauseOf(span: number): number {
  return Math.min(1000, Math.max(span / 10, safetyMargin(span)));
}
