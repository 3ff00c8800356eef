import type { Commands } from './command.contract.js';
import type { Subscriber } from '../redis/subscriber.contract.js';

/** What the locks of a module instance stand on: connections to Redis, or a store in memory. */
export interface Backend {
  readonly commands: Commands;
  readonly subscriber: Subscriber;
  /** Stands before the names of locks. */
  readonly keyPrefix: string;
  /** Whether keys and channels have slots. */
  readonly isCluster: boolean;
  /** Whether the number of clients that a message reached is that of all there are. */
  readonly countsFleet: boolean;
  close(): Promise<void>;
}
