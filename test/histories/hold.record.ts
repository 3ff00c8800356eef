import type { LockKind } from './operation.js';

/** What one holder believed: a grant, and until when it relied on it. Instants are of one clock: µs, or the events of a simulation. */
export interface BelievedGrant {
  /** Not before this was it granted. */
  readonly call: number;
  /** The first instant at which the holder believed that it had the lock. */
  readonly held: number;
  /** The last one; Infinity where the history ends before. */
  readonly until: number;
  /** When its release was answered; Infinity when it was not, or the answer says nothing: an error, or the end of the process. */
  readonly answered: number;
  /** Of a fenced lock. */
  readonly token?: string | undefined;
}

/** One hold, in plain words: whatever runs locks can write it. */
export interface HoldRecord extends BelievedGrant {
  readonly client: string;
  readonly kind: LockKind;
  /** Several for a lock that consists of others: it is one acquisition of each. */
  readonly keys: readonly string[];
  /** Unique to this hold: with one owner for two holds these are taken for re-entries. */
  readonly owner: string;
  readonly reentries?: readonly BelievedGrant[] | undefined;
  /** From then on the store may not have it any more, by a loss of data or a forced unlock, though its holder is not notified at once. */
  readonly lostFrom?: number | undefined;
  readonly side?: 'read' | 'write' | undefined;
  readonly room?: number | undefined;
  readonly places?: number | undefined;
}
