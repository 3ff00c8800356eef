/** How an operation travels. */
export interface Sending {
  /** Whether its first argument is the command that tells a channel; the connection knows which one that is. */
  readonly publishes?: boolean | undefined;
  /** Numbers that come once per call, before the arguments, with a space between them. Operations with other ones travel in another call. */
  readonly shared?: string;
  /** The most operations of one call. @default 16 */
  readonly perCall?: number;
  /** The first numbers of rows that grant something, which counts only once replicas have acknowledged it, where that is asked for. */
  readonly grants?: readonly number[] | undefined;
}

/** The rows that replicas have to acknowledge: `{1, …}` of what acquires, renews or claims. */
export const GRANTS = [1];

/** An operation that gives the lock to somebody. */
export const GRANTING: Sending = { grants: GRANTS };

/** One that hands the lock over, which may grant it as well. */
export const TRANSFERRING: Sending = { publishes: true, grants: [1, 2] };

/** One of a script that tells a channel. */
export const TELLING: Sending = { publishes: true };
