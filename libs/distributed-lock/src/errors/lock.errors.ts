import { brandClass } from '../contracts/class.brand.js';
import { REMEDIES, type LockErrorCode } from './error.table.js';
import type { LossReason } from './loss.reasons.js';
import { printable } from './printable.text.js';

/** Base of every error of this library: a stable code, the lock's name where there is one, and a remedy. */
export class DistributedLockError extends Error {
  static {
    brandClass(this, 'DistributedLockError');
  }

  /** The name of the class, for logs. */
  override readonly name: string = 'DistributedLockError';
  /** What the reader can do about it. */
  readonly remedy: string;

  constructor(
    /** Stable; safe to branch on. */
    readonly code: LockErrorCode,
    message: string,
    /** The lock's name, without the module's prefix. */
    readonly lock?: string,
    options?: ErrorOptions,
    /** What fits the reason, where the code has several. @default the remedy of the code */
    remedy: string = REMEDIES[code],
  ) {
    super(`${printable(message)} ${remedy}`, options);
    this.remedy = remedy;
  }
}

/** Who has the lock, as far as this process knows. */
export interface HeldBy {
  /** The holder id on the wire. */
  readonly holder?: string | undefined;
  /** Epoch ms of the grant; known only for a holder of this process. */
  readonly since?: number | undefined;
  /** What was left of the lease when Redis was asked, in ms; -1 for a lock without one. */
  readonly ttl?: number | undefined;
}

/** Somebody else has the lock: the call insisted and was refused. */
export class LockNotAcquiredError extends DistributedLockError {
  static {
    brandClass(this, 'LockNotAcquiredError');
  }

  /** The name of the class, for logs. */
  override readonly name = 'LockNotAcquiredError';

  constructor(
    lock: string,
    /** How long the call waited, in ms. */
    readonly waited: number,
    /** Who has the lock; empty where that is not known. */
    readonly heldBy: HeldBy = {},
    code: 'NOT_ACQUIRED' | 'TOO_MANY_WAITERS' | 'NOT_LEADER' = 'NOT_ACQUIRED',
  ) {
    const refused = `Lock "${lock}" was not acquired within ${Math.round(waited)} ms${describe(heldBy)}.`;
    super(code, code === 'NOT_LEADER' ? `This instance does not lead "${lock}".` : refused, lock);
  }
}

/**
 * The lease ended, or was taken away, while its holder still counted on it; or, with the code `RELEASED`, the work goes on after its lock
 * was released. The reason of an aborted `handle.signal`.
 */
export class LockLostError extends DistributedLockError {
  static {
    brandClass(this, 'LockLostError');
  }

  /** The name of the class, for logs. */
  override readonly name = 'LockLostError';

  constructor(
    lock: string,
    /** The reason alone, as it stands in the message. */
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

/** A guarded write came with a fencing token that is older than one that was at its fence before: nothing was written. */
export class StaleTokenError extends DistributedLockError {
  static {
    brandClass(this, 'StaleTokenError');
  }

  /** The name of the class, for logs. */
  override readonly name = 'StaleTokenError';

  constructor(
    /** The key of the fence. */
    readonly fence: string,
    /** The token of the refused write. */
    readonly token: bigint,
    /** The newest token that has passed the fence. */
    readonly newest: bigint,
  ) {
    super('STALE_TOKEN', `Token ${token} is too old for fence "${fence}": token ${newest} has passed it.`);
  }
}

/** Redis could not be asked, or refused the command. Never means that somebody else has the lock. */
export class LockUnavailableError extends DistributedLockError {
  static {
    brandClass(this, 'LockUnavailableError');
  }

  /** The name of the class, for logs. */
  override readonly name = 'LockUnavailableError';

  constructor(
    lock: string | undefined,
    message: string,
    options?: ErrorOptions,
    code:
      'UNAVAILABLE' | 'NOT_REPLICATED' | 'REJECTED_BY_REDIS' | 'WRONG_TYPE' | 'SHUTTING_DOWN' = 'UNAVAILABLE',
    remedy: string = REMEDIES[code],
  ) {
    super(code, message, lock, options, remedy);
  }
}

/** An option, a name or a use of the library that cannot work; found before anything is sent. */
export class LockConfigurationError extends DistributedLockError {
  static {
    brandClass(this, 'LockConfigurationError');
  }

  /** The name of the class, for logs. */
  override readonly name = 'LockConfigurationError';
}

function describe({ holder, since }: HeldBy): string {
  if (holder === undefined) return '';
  return `: held by ${holder}${since === undefined ? '' : ` since ${new Date(since).toISOString()}`}`;
}
