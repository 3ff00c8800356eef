import type { Commands } from './command.contract.js';
import type { Subscriber } from '../redis/subscriber.contract.js';

/** The store of a module instance: connections to Redis, or a store in memory. */
export interface Backend {
  readonly commands: Commands;
  readonly subscriber: Subscriber;
  /** The prefix of all lock names. */
  readonly keyPrefix: string;
  /** Whether keys and channels have slots. */
  readonly isCluster: boolean;
  /** Whether PUBLISH counts the receivers of the whole fleet. */
  readonly countsAllReceivers: boolean;
  close(): Promise<void>;
}
