import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Lease } from '../renewal/lease.js';
import type { LeaseListener } from '../renewal/lease.listener.js';
import type { Watchdog } from '../renewal/watchdog.js';

/** Whose lease it is. */
export interface LeaseOwner extends LeaseListener {
  /** While the machine was suspended Redis went on counting: the deadline may be nearer than its timer knows. */
  rearm(): void;
}

/** What is done with the lease of one hold beside its renewal: finds out whether it may be believed in, and changes it. */
export class LeaseControl {
  #isVerifying = false;

  constructor(
    private readonly lease: Lease,
    private readonly watchdog: Watchdog,
    private readonly owner: LeaseOwner,
  ) {}

  /**
   * Whether the lease may be believed in. After the machine seems to have been suspended it may not, until Redis has
   * confirmed it; a read while it is in doubt makes a request to Redis.
   */
  get isBelieved(): boolean {
    if (!this.lease.isDoubtful) return true;
    if (!this.#isVerifying) void this.#verify();
    return false;
  }

  /** @returns when the request was sent, or false when the hold is gone; why there is no answer */
  async extend(ttl: number): Promise<number | false | RedisFailure> {
    const sent = instant();
    const confirmed = await this.watchdog.renewNow(this.lease, ttl, this.owner);
    return confirmed === true ? sent.at : confirmed;
  }

  /**
   * Has `request` set the ttl to `ttl` ms, which may be shorter: from now on no more than that is believed in, whether it answers or not.
   * @param doneOf for a `request` that may answer while something of it is still to be sent: settles when nothing is
   */
  async shorten<T>(
    ttl: number,
    request: () => Promise<T>,
    doneOf?: (answer: T) => Promise<unknown>,
  ): Promise<T> {
    const lift = this.lease.cap(instant(), ttl);
    this.owner.rearm();
    try {
      const answer = await request();
      if (doneOf === undefined) lift();
      else void doneOf(answer).then(lift, lift);
      return answer;
    } catch (error) {
      void RedisFailure.from(error).settled.then(lift);
      throw error;
    }
  }

  async #verify(): Promise<void> {
    this.#isVerifying = true;
    this.lease.doubt();
    await this.watchdog.renewNow(this.lease, this.owner.renewalTtl, this.owner);
    this.#isVerifying = false;
    this.owner.rearm();
  }
}
