import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { instant, safetyMargin, type Lease } from './lease.js';

/** What a lease needs now. */
export interface Upkeep {
  /** What to renew to, in ms; 0 for a fixed lease, which is only looked at. */
  readonly renewalTtl: number;
  /** A third of it is between two rounds, in ms. */
  readonly span: number;
}

/** Hears what becomes of a watched lease. */
export interface LeaseListener {
  readonly upkeep: Upkeep;
  /** Redis says that the holder has nothing. */
  gone(): void;
  /** No answer; the deadline decides. Called once per trouble. */
  unknown(why: string): void;
}

/** Renewals fall into slots of a sixtieth of their span, so that leases of one slot share a call. */
const SLOTS_PER_SPAN = 60;

/**
 * Asks for every watched lease of a module instance at a third of its time: renews it, or, when it is fixed, looks whether it is
 * still there. The shared timer and the runner's batches make one call of up to 100 leases. A round that fails concerns only its
 * own leases, and each asks again by itself.
 */
export class Watchdog {
  readonly #watched = new Map<Lease, { timer: Timer; listener: LeaseListener }>();

  constructor(private readonly wheel: TimerWheel) {}

  /** Leases that are looked after. */
  get size(): number {
    return this.#watched.size;
  }

  /** Looks after a lease from now on; one that is watched already is asked for earlier, where its span has become shorter. */
  watch(lease: Lease, listener: LeaseListener): void {
    const { span } = listener.upkeep;
    const watched = this.#watched.get(lease);
    if (watched?.listener === listener && watched.timer.bucket <= now() + span / 3 + 1) return;
    this.unwatch(lease);
    this.#watched.set(lease, { listener, timer: this.#schedule(lease, span, span / 3) });
  }

  /** After this no renewal of the lease is sent. One under way was sent before, and is guarded by the holder's field. */
  unwatch(lease: Lease): void {
    this.wheel.cancel(this.#watched.get(lease)?.timer);
    this.#watched.delete(lease);
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
      if (ttl > 0) lease.confirm(sent, left === -1 ? lease.ttl : left);
      else lease.look(sent, left === -1 ? lease.longest : left);
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

  #schedule(lease: Lease, span: number, delay: number): Timer {
    const slot = span / SLOTS_PER_SPAN;
    const jittered = now() + delay * (0.9 + 0.1 * Math.random());
    return this.wheel.at(Math.floor(jittered / slot) * slot, () => void this.#renew(lease));
  }

  async #renew(lease: Lease): Promise<void> {
    const watched = this.#watched.get(lease);
    if (watched === undefined) return;
    const confirmed = await this.renewNow(lease, watched.listener.upkeep.renewalTtl);
    // Unwatched, or handed to another hold while the reply was on its way: that one has a timer of its own.
    if (this.#watched.get(lease) !== watched) return;
    if (confirmed === false) {
      this.unwatch(lease);
      return;
    }
    const { span } = watched.listener.upkeep;
    watched.timer = this.#schedule(lease, span, confirmed === true ? span / 3 : pauseOf(span));
  }
}

/** After a failure: soon, and often enough to have several chances before the deadline. */
function pauseOf(span: number): number {
  return Math.min(1000, Math.max(span / 10, safetyMargin(span)));
}
