/** How an operation is sent. */
export interface Sending {
  /** Whether its first argument is the command that publishes on a channel; the connection knows which one that is. */
  readonly publishes?: boolean | undefined;
  /** Numbers that are sent once per call, before the arguments, separated by spaces. Operations with other numbers go into another call. */
  readonly shared?: string;
  /** The maximum number of operations of one call. @default 16 */
  readonly perCall?: number;
  /** The first numbers of granting rows, which count only once replicas have acknowledged them, where that is configured. */
  readonly grants?: readonly number[] | undefined;
}

/** The rows that replicas have to acknowledge: `{1, …}` of scripts that acquire, renew or claim. */
export const GRANTS = [1];

/** An operation that grants a lock. */
export const GRANTING: Sending = { grants: GRANTS };

/** An operation that transfers a lock, which may grant it as well. */
export const TRANSFERRING: Sending = { publishes: true, grants: [1, 2] };

/** An operation of a script that publishes on a channel. */
export const PUBLISHING: Sending = { publishes: true };
