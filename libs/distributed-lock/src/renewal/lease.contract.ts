import type { ReplyCallback } from '../replies/reply.callback.js';

/** Asks Redis to keep a lease, in the way of its kind. */
export interface Renewer {
  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only looks.
   * @param callback hears what is left in ms (-1: no ttl), or undefined when the hold is gone
   */
  renew(lock: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void;
}

/** How holder ids are kept while they hold: in full they would be the better part of what a name takes. */
export interface HolderForm {
  brief(holder: string): string | number;
  whole(brief: string | number): string;
}

/** What a lease is on. */
export interface Leased {
  /** The lock's name in Redis. */
  readonly key: string;
  readonly renewer: Renewer;
  readonly holders: HolderForm;
}
