import type { HeldBy } from '../errors/lock.errors.js';
import type { RedisFailure } from '../redis/redis.failure.js';
import type { GroupLimits } from './group.handle.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import type { RedUpkeep } from './red.upkeep.js';

/** One of the independent servers. */
export interface QuorumServer {
  readonly engine: LockEngine;
  /** Why no request is sent to the server: it is away, or may have forgotten grants when it started. Undefined when its answer counts. */
  readonly trouble: string | undefined;
}

/** A red lock as the callers of this process request it. */
export interface QuorumTerms {
  readonly name: string;
  readonly quorum: number;
  readonly servers: readonly QuorumServer[];
  readonly targetOn: (engine: LockEngine) => LockTarget;
  /** All requests that `sendAll` sends, in this turn of the event loop, use one holder id on all servers. */
  readonly asOneHolder: (sendAll: () => void) => void;
  readonly bounds: GroupLimits;
  readonly upkeep: RedUpkeep;
  /** To be called when this process has released the lock. */
  readonly freed: () => void;
  /** To be called when this process has lost the lock. */
  readonly lost: (holder: string, why: string) => void;
}

/** The result of a round that did not reach the quorum. */
export interface RoundRefusal {
  /** The holder of the lock on most of the servers. */
  readonly heldBy: HeldBy;
  /** Whether no caller can reach the quorum, because several requested the lock at the same time. */
  readonly isSplit: boolean;
  /** How many servers granted the lock, or would have. */
  readonly granted: number;
  /** Whether enough servers answered to prove that another caller holds the lock. */
  readonly isReachable: boolean;
  /** When enough leases will be over, by the answers of the servers, in ms from now. */
  readonly freeIn: number;
  /** Why requests to servers failed. */
  readonly failure: RedisFailure;
}
