import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HeldBy, LockUnavailableError } from '../errors/lock.errors.js';

/**
 * The kind of lock of an event. `permit`: a permit with a lease, of a `PermitExpirableSemaphore`. `semaphore`:
 * permits of a `Semaphore`. `tick`: the lock of a scheduled job, held for one of its ticks.
 */
export type LockKindName =
  | 'reentrant'
  | 'non-reentrant'
  | 'spin'
  | 'fenced'
  | 'fair'
  | 'non-reentrant-fair'
  | 'read'
  | 'write'
  | 'permit'
  | 'semaphore'
  | 'multi'
  | 'red'
  | 'tick';

/**
 * The fields of every event of an acquisition. An acquisition is one call of `lock`, `tryLock`, `acquire`,
 * `tryAcquire`, `using`, a decorator or an interceptor. A call of `elect()` is not an acquisition. Neither is a tick:
 * it has events of its own, whose names begin with `tick`. The events `renewed` and `unknown` are about a lease: they
 * are also emitted for the locks of leaders and ticks.
 */
export interface AcquisitionEvent {
  /** The same object in all events of one acquisition: a key for a WeakMap. It has no contents. */
  readonly acquisition: object;
  /**
   * The name of the lock, without the prefix of the module; for a multi lock the names of its members,
   * separated by ", ".
   */
  readonly lock: string;
  /** The kind of the lock. */
  readonly kind: LockKindName;
  /** Whether the calling scope already held the lock. */
  readonly isReentry: boolean;
}

/** Another holder has the lock, and the caller waits. */
export interface WaitingEvent extends AcquisitionEvent {
  /** The current holder, as far as known. */
  readonly heldBy: HeldBy;
}

/** The lock was granted. */
export interface AcquiredEvent extends AcquisitionEvent {
  /** As `LockHandle.holder`; `undefined` for permits of a `Semaphore`, which have no holder. */
  readonly holder: string | undefined;
  /** The fencing token; `undefined` for kinds of lock without tokens. */
  readonly token: bigint | undefined;
  /** The time from the call to the grant, in ms. */
  readonly waited: number;
  /**
   * Whether a `released` or `lost` event follows. `false` for `acquire()` and `tryAcquire()` of a `Semaphore`.
   */
  readonly hasEnd: boolean;
}

/** The lock was not acquired within `waitTime`, or too many callers wait. */
export interface RefusedEvent extends AcquisitionEvent {
  /** The time from the call to the refusal, in ms. */
  readonly waited: number;
  /** The current holder, as far as known. */
  readonly heldBy: HeldBy;
}

/**
 * The call rejected for another reason: Redis was unavailable, the signal aborted, the application shuts
 * down, or the call could never succeed.
 */
export interface FailedEvent extends AcquisitionEvent {
  /** The time from the call to the error, in ms. */
  readonly waited: number;
  /** The error that the caller got. */
  readonly error: unknown;
}

/** The acquisition was unlocked by its holder. */
export interface ReleasedEvent extends AcquisitionEvent {
  /** See {@link AcquiredEvent.holder}. */
  readonly holder: string | undefined;
  /** The time from the grant to the end of the release, in ms. */
  readonly held: number;
  /**
   * `kept`: another acquisition of the same holder still holds the lock. `unconfirmed`: Redis did not
   * answer; the release is repeated in the background.
   */
  readonly outcome: Exclude<UnlockOutcome, 'lost'> | 'unconfirmed';
}

/** The lock was lost. Emitted when this process notices the loss, at the latest at the unlock. */
export interface LostEvent extends AcquisitionEvent {
  /** See {@link AcquiredEvent.holder}. */
  readonly holder: string | undefined;
  /** The time from the grant until the loss was noticed, in ms. */
  readonly held: number;
  /** The reason of the loss, for a log. */
  readonly why: string;
}

/**
 * Redis confirmed that a lease is extended. Emitted for each lock in Redis: for each member of a multi lock,
 * and for each server of a red lock.
 */
export interface RenewedEvent {
  /** See {@link AcquisitionEvent.lock}. */
  readonly lock: string;
  /** The kind of the lock. */
  readonly kind: LockKindName;
  /** The holder id in Redis. */
  readonly holder: string;
}

/**
 * Redis did not answer a renewal. Emitted once per outage and lease: for the first renewal without an answer.
 * Further unanswered renewals emit nothing until Redis has answered again. The lock stays held until shortly
 * before the lease ends.
 */
export interface UnknownEvent extends RenewedEvent {
  /** The error of the renewal, for a log. */
  readonly why: string;
}

/** The fields of every event of a tick. */
export interface TickEvent {
  /** The key of the job, which is the name of its lock. */
  readonly job: string;
  /** See `TickRecord.tick`. */
  readonly tick: number;
}

/** The claim of this instance for the tick was granted. */
export interface TickClaimedEvent extends TickEvent {
  /** The same object as in the `tickFinished` event of the tick: a key for a WeakMap. */
  readonly acquisition: object;
  /** The holder id in Redis. */
  readonly holder: string;
  /** The number of the run, 1 for the first. */
  readonly attempt: number;
}

/** The claimed tick is over: its run has ended, or will not begin. */
export interface TickFinishedEvent extends TickClaimedEvent {
  /** The time from the claim to the end of the release, in ms. */
  readonly held: number;
  /**
   * `completed`, `failed` and `handed-over` as in the record of the job: see `TickOutcome`. `returned`: the run
   * did not begin, because the application shuts down, the job was turned off, or the `runNow()` request was
   * too old. `lost`: the lock of the job was lost during the run.
   */
  readonly outcome: 'completed' | 'failed' | 'handed-over' | 'returned' | 'lost';
}

/** The claim of this instance for the tick was not granted. */
export interface TickSkippedEvent extends TickEvent {
  /**
   * `taken`: another instance has the tick. `overlapped`: an earlier run or another holder has the lock.
   * `queued`: one instance runs the tick later. `paused`: the job is paused.
   */
  readonly why: 'taken' | 'overlapped' | 'queued' | 'paused';
}

/** The tick ran on no instance. Emitted in one process of the fleet, the one that noticed. */
export interface TickMissedEvent extends TickEvent {
  /** See `TickRecord.after`; `undefined` if only `tick` was missed. */
  readonly after: number | undefined;
  /** The number of missed ticks; 1 if it is unknown. */
  readonly count: number;
  /** The reason, as in the record of the job. */
  readonly why: string;
}

/** The process of a run died, or the run lost its lock. Emitted in one process of the fleet, the one that noticed. */
export interface TickCrashedEvent extends TickEvent {
  /** The number of the run, 1 for the first. */
  readonly attempt: number;
  /** The instance of that run: `<host>:<pid>:<client id>`. */
  readonly instance: string;
}

/**
 * The run of an instance crashed, and `maxAttempts` allows no more runs of the tick. Emitted instead of
 * `tickCrashed` for the last run, in one process of the fleet, the one that noticed.
 */
export interface TickAbandonedEvent extends TickEvent {
  /** The number of the last run, 1 for the first. */
  readonly attempt: number;
  /** The instance of that run: `<host>:<pid>:<client id>`. */
  readonly instance: string;
}

/** An operator acted on a job or a lock through this process: see the dashboard. */
export interface OperatorActionEvent {
  /** The action. */
  readonly action: 'pause' | 'resume' | 'run-now' | 'forget' | 'unlock';
  /** The job, or the lock. */
  readonly name: string;
  /** The operator, as the option `userOf` of the dashboard has it; `undefined` if that is unknown. */
  readonly by: string | undefined;
  /** Whether the action changed anything. */
  readonly isDone: boolean;
  /** When it was done, in epoch ms by the clock of this machine. */
  readonly at: number;
}

/**
 * This instance could not claim the tick: Redis refused the claim, or did not answer, although the library repeated
 * the claim for 5 s, or until the next tick was due if that is sooner (but for 1 s at least). Emitted once per
 * instance and tick. Another instance may run the tick, and with `catchUp` this instance may claim it later.
 */
export interface TickUnclaimedEvent extends TickEvent {
  /** The error of the claim. */
  readonly error: LockUnavailableError;
}

/** Every event, by the name of its listener method. */
export interface LockEventMap {
  /** A call requests a lock. */
  attempt: AcquisitionEvent;
  /** The call waits. */
  waiting: WaitingEvent;
  /** The lock was granted. */
  acquired: AcquiredEvent;
  /** The call got no lock within `waitTime`, or too many callers wait. */
  refused: RefusedEvent;
  /** The call rejected for another reason. */
  failed: FailedEvent;
  /** The acquisition was unlocked. */
  released: ReleasedEvent;
  /** The lock was lost. */
  lost: LostEvent;
  /** A lease was renewed. */
  renewed: RenewedEvent;
  /** Redis did not answer a renewal. */
  unknown: UnknownEvent;
  /** The claim of this instance was granted. */
  tickClaimed: TickClaimedEvent;
  /** The claimed tick is over. */
  tickFinished: TickFinishedEvent;
  /** The claim of this instance was not granted. */
  tickSkipped: TickSkippedEvent;
  /** No instance ran the tick. */
  tickMissed: TickMissedEvent;
  /** The run of the tick crashed. */
  tickCrashed: TickCrashedEvent;
  /** The run crashed, and `maxAttempts` allows no more. */
  tickAbandoned: TickAbandonedEvent;
  /** An operator acted on a job or a lock through this process. */
  operatorAction: OperatorActionEvent;
  /** This instance could not claim the tick. */
  tickUnclaimed: TickUnclaimedEvent;
}

/**
 * A listener for the events of a module instance: one method for each event of interest. Methods are called
 * synchronously. `attempt` runs in the async context of the caller. The other methods may run in any async context:
 * an `AsyncLocalStorage` of the caller may be empty there. An error, or a rejected promise, of a listener is logged
 * and has no other effect. No caller waits for a listener.
 */
export type LockListener = {
  readonly [Name in keyof LockEventMap]?: ((event: LockEventMap[Name]) => unknown) | undefined;
};
