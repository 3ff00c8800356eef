import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { instant, safetyMargin, type Lease } from './lease.js';

/** Hears what becomes of a watched lease. */
export interface LeaseListener {
  /** What to renew to now, in ms; 0 only looks. */
  readonly renewalTtl: number;
  /** Redis says that the holder has nothing. */
  gone(): void;
  /** No answer; the deadline decides. Called once per trouble. */
  unknown(why: string): void;
}

/** Renewals fall into slots of a sixtieth of the lease, so that leases of one slot share a call. */
const SLOTS_PER_LEASE = 60;

/**
 * Renews every watched lease of a module instance at a third of its time. The shared timer and the runner's batches make
 * one call of up to 100 leases. A round that fails concerns only its own leases, and each asks again by itself.
 */
export class Watchdog {
  readonly #watched = new Map<Lease, { timer: Timer; listener: LeaseListener }>();

  constructor(
    private readonly wheel: TimerWheel,
    /** The ttl of a watched lease, in ms; it is renewed at a third of it. */
    private readonly ttl: number,
  ) {}

  /** Leases that are renewed. */
  get size(): number {
    return this.#watched.size;
  }

  watch(lease: Lease, listener: LeaseListener): void {
    this.unwatch(lease);
    this.#watched.set(lease, { listener, timer: this.#schedule(lease, this.ttl / 3) });
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
      lease.confirm(sent, left === -1 ? lease.ttl : left);
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

  #schedule(lease: Lease, delay: number): Timer {
    const slot = this.ttl / SLOTS_PER_LEASE;
    const jittered = now() + delay * (0.9 + 0.1 * Math.random());
    return this.wheel.at(Math.floor(jittered / slot) * slot, () => void this.#renew(lease));
  }

  async #renew(lease: Lease): Promise<void> {
    const watched = this.#watched.get(lease);
    if (watched === undefined) return;
    const confirmed = await this.renewNow(lease, watched.listener.renewalTtl);
    // Unwatched, or handed to another hold while the reply was on its way: that one has a timer of its own.
    if (this.#watched.get(lease) !== watched) return;
    if (confirmed === false) this.unwatch(lease);
    else watched.timer = this.#schedule(lease, confirmed === true ? this.ttl / 3 : this.#pause());
  }

  /** After a failure: soon, and often enough to have several chances before the deadline. */
  #pause(): number {
    return Math.min(1000, Math.max(this.ttl / 10, safetyMargin(this.ttl)));
  }
}
