/** What a lease needs now. */
export interface Upkeep {
  /** What to renew to, in ms; 0 for a fixed lease, which is only looked at. */
  readonly renewalTtl: number;
  /** A third of it is between two rounds, in ms. */
  readonly span: number;
  /** The monotonic instant at which its holder wants to look at its deadlines; Infinity for none. */
  readonly nextDeadline: number;
}

/** Hears what becomes of a watched lease. */
export interface LeaseListener extends Upkeep {
  /** Something of the lease is due: whoever looks after it is to look. */
  checkLease(): void;
  /** A deadline may have come. @param at the monotonic clock */
  checkDeadlines(at?: number): void;
  /** Redis says that the holder has nothing. */
  gone(): void;
  /** Redis has confirmed the lease, and raised it. */
  renewed(): void;
  /** No answer to a renewal; told once, until the next answer. */
  unknown(why: string): void;
}
