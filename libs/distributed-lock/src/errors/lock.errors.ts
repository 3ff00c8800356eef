import { brandClass } from '../objects/class.brand.js';
import { helpFor, REMEDIES, type LockErrorCode } from './error.table.js';
import type { LossReason } from './loss.reasons.js';
import { printable } from './printable.text.js';

/**
 * The base class of all errors of this library: a stable code, the name of the lock if there is one, a remedy,
 * and the place of the documentation.
 */
export class DistributedLockError extends Error {
  static {
    brandClass(this, 'DistributedLockError');
  }

  /** The class name, for logs. */
  override readonly name: string = 'DistributedLockError';
  /** How to solve the problem. */
  readonly remedy: string;
  /** Where the documentation explains the code: a file of the package, with an anchor. */
  readonly help: string;

  // oxlint-disable-next-line max-params -- public API: its positions stay as they are
  constructor(
    /** A stable code, safe to branch on. */
    readonly code: LockErrorCode,
    message: string,
    /** The name of the lock, without the prefix of the module. */
    readonly lock?: string,
    options?: ErrorOptions,
    /**
     * The remedy for the cause of this error, if the code has several causes. @default the remedy of the code
     */
    remedy: string = REMEDIES[code],
  ) {
    super(`${printable(message)} ${remedy}`, options);
    this.remedy = remedy;
    this.help = helpFor(code);
  }
}

/** The current holder of a lock, as far as this process knows. */
export interface HeldBy {
  /** The holder id in Redis. */
  readonly holder?: string | undefined;
  /** The time of the grant in epoch ms; known only for a holder of this process. */
  readonly since?: number | undefined;
  /** The remaining lease in ms at the time of the last answer of Redis; -1 for a lock without a lease. */
  readonly ttl?: number | undefined;
}

/**
 * The lock, or the permits, did not become free within `waitTime`. The code is `NOT_ACQUIRED`, or `TOO_MANY_WAITERS`
 * if `maxWaiters` callers of this process already wait; `NOT_LEADER` if this instance does not lead.
 */
export class LockNotAcquiredError extends DistributedLockError {
  static {
    brandClass(this, 'LockNotAcquiredError');
  }

  /** The class name, for logs. */
  override readonly name = 'LockNotAcquiredError';

  /** @param code see the class */
  constructor(
    lock: string,
    /** How long the call waited, in ms. */
    readonly waited: number,
    /** The current holder; empty if unknown. */
    readonly heldBy: HeldBy = {},
    code: 'NOT_ACQUIRED' | 'TOO_MANY_WAITERS' | 'NOT_LEADER' = 'NOT_ACQUIRED',
  ) {
    const refused = `Lock "${lock}" was not acquired within ${Math.round(waited)} ms${describe(heldBy)}.`;
    super(code, code === 'NOT_LEADER' ? `This instance does not lead "${lock}".` : refused, lock);
  }
}

/**
 * The lock was lost: its lease ended, or it was taken away, while the holder relied on it. The code is `LOST`,
 * `MAX_HOLD` (the hold lasted longer than `maxHold`) or `RELEASED` (work still uses the lock after the unlock).
 * `LOST` is also the code when a shutdown ends the work, or a leader has resigned. The `reason` of an aborted
 * `handle.signal` is a `LockLostError`, too.
 */
export class LockLostError extends DistributedLockError {
  static {
    brandClass(this, 'LockLostError');
  }

  /** The class name, for logs. */
  override readonly name = 'LockLostError';

  /** @param code see the class */
  constructor(
    lock: string,
    /** The reason alone, as it appears in the message. */
    readonly why: string,
    code: 'LOST' | 'MAX_HOLD' | 'RELEASED' = 'LOST',
    remedy: string = REMEDIES[code],
  ) {
    super(code, `Lock "${lock}" is no longer held: ${why}.`, lock, undefined, remedy);
  }

  /** @internal */
  get reason(): LossReason {
    const { why, remedy, code } = this;
    return { why, remedy, code: code === 'MAX_HOLD' || code === 'RELEASED' ? code : 'LOST' };
  }

  /** @internal With the remedy that fits the reason. */
  static of(lock: string, { why, code = 'LOST', remedy }: LossReason): LockLostError {
    return new LockLostError(lock, why, code, remedy);
  }
}

/**
 * A guarded write had an older fencing token than an earlier write through the same fence. Nothing was
 * written.
 */
export class StaleTokenError extends DistributedLockError {
  static {
    brandClass(this, 'StaleTokenError');
  }

  /** The class name, for logs. */
  override readonly name = 'StaleTokenError';

  constructor(
    /** The key of the fence. */
    readonly fence: string,
    /** The token of the refused write. */
    readonly token: bigint,
    /** The newest token that has passed the fence. */
    readonly newest: bigint,
  ) {
    super(
      'STALE_TOKEN',
      `Token ${token} is too old for fence "${fence}": the fence has already accepted token ${newest}.`,
    );
  }
}

/**
 * The call failed for one of these reasons, never because another holder has the lock:
 *
 * - `UNAVAILABLE`: Redis did not answer; or, for a red lock, fewer servers answered than a majority; or
 * `guardedWrite()` got an unknown reply.
 * - `REJECTED_BY_REDIS`, `WRONG_TYPE`: Redis refused the command.
 * - `NOT_REPLICATED`: too few replicas acknowledged the grant.
 * - `SHUTTING_DOWN`: the application shuts down.
 */
export class LockUnavailableError extends DistributedLockError {
  static {
    brandClass(this, 'LockUnavailableError');
  }

  /** The class name, for logs. */
  override readonly name = 'LockUnavailableError';

  /** @param code see the class */
  // oxlint-disable-next-line max-params -- public API: its positions stay as they are
  constructor(
    lock: string | undefined,
    message: string,
    options?: ErrorOptions,
    code:
      | 'UNAVAILABLE'
      | 'NOT_REPLICATED'
      | 'REJECTED_BY_REDIS'
      | 'WRONG_TYPE'
      | 'SHUTTING_DOWN' = 'UNAVAILABLE',
    remedy: string = REMEDIES[code],
  ) {
    super(code, message, lock, options, remedy);
  }
}

/** An invalid option, name or use of the library. Over HTTP: 500. The table in docs/reference.md has all its codes. */
export class LockConfigurationError extends DistributedLockError {
  static {
    brandClass(this, 'LockConfigurationError');
  }

  /** The class name, for logs. */
  override readonly name = 'LockConfigurationError';
}

function describe({ holder, since }: HeldBy): string {
  if (holder === undefined) return '';
  return `: held by ${holder}${since === undefined ? '' : ` since ${new Date(since).toISOString()}`}`;
}
