import type { ReplyCallback } from '../replies/reply.callback.js';

/** Sends the renewals of a lease, with the scripts of its kind. */
export interface Renewer {
  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only checks the hold.
   * @param callback receives the remaining ttl in ms (-1: no ttl), or undefined when the hold is gone
   */
  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void;
}

/** The form in which holder ids are kept in memory while they hold: whole ids would be the larger part of what a name takes. */
export interface HolderIdFormat {
  brief(holder: string): string | number;
  whole(brief: string | number): string;
}

/** The lock of a lease. */
export interface Leased {
  /** The lock's name in Redis. */
  readonly key: string;
  readonly renewer: Renewer;
  readonly holderIds: HolderIdFormat;
}
