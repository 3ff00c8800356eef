import type { Lease } from '../renewal/lease.js';
import type { LeaseListener, Watchdog } from '../renewal/watchdog.js';

/** Whose lease it is. */
export interface Doubter extends LeaseListener {
  /** What to renew to in ms; 0 only looks. */
  readonly renewalTtl: number;
  /** While the machine was suspended Redis went on counting: the deadline may be nearer than its timer knows. */
  rearm(): void;
}

/** Whether a lease may be believed in. After the machine seems to have been suspended it may not, until Redis has confirmed it. */
export class LeaseVerifier {
  #asking = false;

  constructor(
    private readonly lease: Lease,
    private readonly watchdog: Watchdog,
    private readonly doubter: Doubter,
  ) {}

  /** Whoever asks while it is in doubt makes Redis be asked. */
  get isBelieved(): boolean {
    if (!this.lease.isDoubtful) return true;
    if (!this.#asking) void this.#ask();
    return false;
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    this.lease.doubt();
    await this.watchdog.renewNow(this.lease, this.doubter.renewalTtl, this.doubter);
    this.#asking = false;
    this.doubter.rearm();
  }
}
