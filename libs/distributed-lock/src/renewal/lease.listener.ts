/** The current needs of a lease. */
export interface Upkeep {
  /** The ttl of the next renewal, in ms; 0 for a fixed lease, which is only checked. */
  readonly renewalTtl: number;
  /** The time whose third lies between two rounds, in ms. */
  readonly leaseTime: number;
  /** The monotonic instant at which the holder has to check its deadlines; Infinity for none. */
  readonly nextDeadline: number;
}

/** Is notified of changes of a watched lease. */
export interface LeaseListener extends Upkeep {
  /** Something of the lease is due: the listener has its watchdog check the lease. */
  checkLease(): void;
  /** A deadline may have come. @param at the monotonic clock */
  checkDeadlines(at?: number): void;
  /** Redis answered that the holder has nothing. */
  gone(): void;
  /** Redis has confirmed the lease, and extended it. */
  renewed(): void;
  /** A renewal got no answer; called once, until the next answer. */
  unknown(why: string): void;
}
