import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HeldBy } from '../errors/lock.errors.js';

/** What sort of lock an event is about. `tick`: the lock of a scheduled job, held for one of its ticks. */
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

/** What every event of an acquisition says: of one call of `lock`, `tryLock`, `using`, a decorator or an interceptor. */
export interface AcquisitionEvent {
  /** One and the same object in all events of the acquisition: a key for a WeakMap. It has no contents. */
  readonly acquisition: object;
  /** The lock's name as the user says it; of a multi lock the names of its members, with ", " between them. */
  readonly lock: string;
  /** What sort of lock it is. */
  readonly kind: LockKindName;
  /** Whether the calling scope held the lock already when it asked. */
  readonly isReentry: boolean;
}

/** Somebody else has the lock, and the caller stands in line. */
export interface WaitingEvent extends AcquisitionEvent {
  /** Who has it, as far as is known. */
  readonly heldBy: HeldBy;
}

/** The lock was granted. */
export interface AcquiredEvent extends AcquisitionEvent {
  /** The holder id on the wire; undefined for permits of a semaphore, which have none. */
  readonly holder: string | undefined;
  /** The fencing token, for kinds that give one. */
  readonly token: bigint | undefined;
  /** From the call to the grant, in ms. */
  readonly waited: number;
  /** Whether its end will be told. Not for what a semaphore's `acquire()` took: those permits belong to nobody. */
  readonly hasEnd: boolean;
}

/** The caller's time was over, and somebody else had the lock; or too many waited. */
export interface RefusedEvent extends AcquisitionEvent {
  /** From the call to its refusal, in ms. */
  readonly waited: number;
  /** Who has it, as far as is known. */
  readonly heldBy: HeldBy;
}

/** The call rejected for another reason: Redis was away, its signal aborted, the application shuts down, or it could never succeed. */
export interface FailedEvent extends AcquisitionEvent {
  /** From the call to its error, in ms. */
  readonly waited: number;
  /** What the caller got. */
  readonly error: unknown;
}

/** The acquisition was unlocked by its holder. */
export interface ReleasedEvent extends AcquisitionEvent {
  /** As in {@link AcquiredEvent.holder}. */
  readonly holder: string | undefined;
  /** From the grant to the end of the release, in ms. */
  readonly held: number;
  /** `kept`: an enclosing acquisition holds on. `unconfirmed`: Redis did not answer; the release goes on in the background. */
  readonly outcome: Exclude<UnlockOutcome, 'lost'> | 'unconfirmed';
}

/** The acquisition ended before its holder unlocked it, or its holder learnt of that by unlocking. */
export interface LostEvent extends AcquisitionEvent {
  /** As in {@link AcquiredEvent.holder}. */
  readonly holder: string | undefined;
  /** From the grant to the loss, or to the moment in which it was noticed, in ms. */
  readonly held: number;
  /** A sentence for a log: what took it away. */
  readonly why: string;
}

/** Redis confirmed that a lease goes on. Told for each lock in Redis: of a multi lock for each member, of a red lock for each server. */
export interface RenewedEvent {
  /** The lock's name as the user says it. */
  readonly lock: string;
  /** What sort of lock it is. */
  readonly kind: LockKindName;
  /** The holder id on the wire. */
  readonly holder: string;
}

/** Redis did not answer a renewal. Told once until the next answer: the lease is kept until its deadline. */
export interface UnknownEvent extends RenewedEvent {
  /** A sentence for a log: what came instead of an answer. */
  readonly why: string;
}

/** What every event of a tick says. */
export interface TickEvent {
  /** The job's key, which is the name of its lock. */
  readonly job: string;
  /** The nominal instant, epoch ms. */
  readonly tick: number;
}

/** This instance runs the tick. */
export interface TickClaimedEvent extends TickEvent {
  /** The same object as in the tick's `tickFinished`: a key for a WeakMap. */
  readonly acquisition: object;
  /** The holder id on the wire. */
  readonly holder: string;
  /** 1 for the first run of the tick. */
  readonly attempt: number;
}

/** A run of this instance has ended. */
export interface TickFinishedEvent extends TickClaimedEvent {
  /** From the claim to the end of the release, in ms. */
  readonly held: number;
  /**
   * `handed-over`: shutdown stopped the run, and another instance makes the next attempt. `returned`: it did not begin, since the
   * application shuts down. `lost`: the job's lock was lost while it ran.
   */
  readonly outcome: 'completed' | 'failed' | 'handed-over' | 'returned' | 'lost';
}

/** This instance asked for the tick, and does not run it. */
export interface TickSkippedEvent extends TickEvent {
  /** `taken`: another instance has it. `overlapped`: an earlier run goes on. `queued`: one instance runs it later. `paused`: the job is paused. */
  readonly why: 'taken' | 'overlapped' | 'queued' | 'paused';
}

/** The tick ran on no instance. Told in one process of the fleet: that which found out. */
export interface TickMissedEvent extends TickEvent {
  /** The last instant before the gap, epoch ms, where the event stands for every instant in between. */
  readonly after: number | undefined;
  /** A sentence for a log, as in the job's record. */
  readonly why: string;
}

/** The run of an instance died with its process, or lost its lease. Told in one process of the fleet: that which found out. */
export interface TickCrashedEvent extends TickEvent {
  /** Which run of the tick it was; 1 for the first. */
  readonly attempt: number;
  /** That ran it: `<host>:<pid>:<client id>`. */
  readonly instance: string;
}

/** Every event by the name of the method that hears it. */
export interface LockEventMap {
  /** A call asks for a lock. */
  attempt: AcquisitionEvent;
  /** It stands in line. */
  waiting: WaitingEvent;
  /** It was granted the lock. */
  acquired: AcquiredEvent;
  /** Somebody else had it for too long. */
  refused: RefusedEvent;
  /** It rejected for another reason. */
  failed: FailedEvent;
  /** The lock was unlocked. */
  released: ReleasedEvent;
  /** The lock was lost. */
  lost: LostEvent;
  /** A lease goes on. */
  renewed: RenewedEvent;
  /** A renewal got no answer. */
  unknown: UnknownEvent;
  /** This instance runs the tick. */
  tickClaimed: TickClaimedEvent;
  /** Its run has ended. */
  tickFinished: TickFinishedEvent;
  /** This instance does not run the tick. */
  tickSkipped: TickSkippedEvent;
  /** No instance ran it. */
  tickMissed: TickMissedEvent;
  /** Its run died. */
  tickCrashed: TickCrashedEvent;
}

/**
 * Hears what happens to the locks of a module instance: a method for each event that it wants to hear. It is called at once, in the
 * async context in which the event happens; `attempt` in that of the caller. What it throws, and a promise of its that rejects,
 * is logged and changes nothing; nothing waits for it.
 */
export type LockListener = {
  readonly [Name in keyof LockEventMap]?: ((event: LockEventMap[Name]) => unknown) | undefined;
};
