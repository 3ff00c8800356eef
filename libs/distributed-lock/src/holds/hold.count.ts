import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import type { Lease } from '../renewal/lease.js';
import type { AcquireReply, ReleaseReply } from '../replies/lock.replies.js';
import { promised, type LateAnswer } from '../replies/reply.callback.js';
import type { LockContext } from '../core/lock.context.js';
import { notExtended, unavailable } from '../core/unavailable.errors.js';
import type { LockTarget } from '../core/lock.target.js';
import { acquireFresh, type FreshAnswer } from '../acquire/late.grant.js';

/** Between attempts to bring Redis' count down, in ms. */
const REPAIR_PAUSE = 200;

/** What Redis is to have for a hold. */
export interface TargetCount {
  /** Acquisitions that are neither released nor lost. */
  readonly count: number;
  /** The longest lease that one of them still has to have, in ms. */
  readonly lease: number;
}

/** What is counted. */
export interface CountedHold {
  /** What Redis is to have now; undefined once the hold has ended, after which nothing is sent. */
  readonly targetCount: TargetCount | undefined;
  /**
   * Has `request` shorten the lease to `lease` ms: an answer that gets lost must not leave a belief too long.
   * @param request gets the lease that a hold beside this one needs yet, in ms; undefined where there is none, or it is not known
   */
  shorten<T>(lease: number, request: (pairedLease?: number) => Promise<T>): Promise<T>;
  /** Redis answered that the holder has nothing. */
  gone(): void;
}

/** Lowers a count in a way of its own: a tick's last step stores the outcome with it. */
export type ReleaseScript = (count: number, lease: number, pairedLease?: number) => Promise<ReleaseReply>;

/**
 * The hold count of one holder id in Redis. Its operations run one after the other, and each names the count that it is to
 * reach: an answer that got lost is made good by whatever comes next.
 */
export class HoldCount {
  /** The operations that wait for their turn; undefined without one. */
  #waitingOperations: (() => void)[] | undefined;
  #confirmedCount: number | undefined = 1;
  #ambiguousFailure: RedisFailure | undefined;
  #repairing: Promise<void> | undefined;
  /** An extension without an answer: the lease in Redis may be longer than any that is known. */
  #lostExtension: RedisFailure | undefined;
  /** Whether the hold, which is over, keeps its lease. */
  #isSpared = false;

  constructor(
    private readonly context: Pick<LockContext, 'backgroundRelease' | 'downgrades' | 'outside' | 'wheel'>,
    private readonly target: LockTarget,
    private readonly lease: Lease,
    private readonly counted: CountedHold,
  ) {}

  /** Whether Redis surely counts 1, so that the holder id may go on to another hold. */
  get hasOneAcquisition(): boolean {
    return this.#confirmedCount === 1;
  }

  /** Settles when nothing is to be sent any more for a command whose answer was lost; undefined where there is none. */
  get repairing(): Promise<void> | undefined {
    return this.#repairing;
  }

  /** Why Redis may count more than this process: the last command without a reply, or a release that Redis did not take. */
  get ambiguousFailure(): RedisFailure | undefined {
    return this.#ambiguousFailure;
  }

  /** Runs `operation` when those before it are done. */
  async enqueue<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#waitingOperations === undefined) this.#waitingOperations = [];
    else await this.#waitForTurn(this.#waitingOperations);
    try {
      return await operation();
    } finally {
      const next = this.#waitingOperations?.shift();
      if (next === undefined) this.#waitingOperations = undefined;
      else next();
    }
  }

  #waitForTurn(waiting: (() => void)[]): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Counts one more. To be called in turn. */
  async raiseTo(count: number, lease: number): Promise<FreshAnswer<AcquireReply>> {
    this.#confirmedCount = undefined;
    this.lease.expect(lease);
    try {
      const answer = await acquireFresh(lease, () =>
        promised<AcquireReply>((callback) =>
          this.target.kind.scripts.acquire(
            { key: this.target.key, holder: this.lease.holder, lease, count, wait: 0 },
            callback,
          ),
        ),
      );
      if (answer.reply.kind === 'granted') this.#answered(answer.reply.count);
      this.takeBackIfOver();
      return answer;
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.kind === 'ambiguous') this.#repairAfter(failure);
      throw error;
    }
  }

  /** Leaves the acquisitions that remain, with the lease that they need (wire format D8). To be called in turn. */
  async lower(targetCount: TargetCount, releaseScript: ReleaseScript = this.#release): Promise<ReleaseReply> {
    this.#confirmedCount = undefined;
    const { count, lease } = targetCount;
    try {
      const reply = await this.counted.shorten(lease, (pairedLease) =>
        releaseScript(count, lease, pairedLease),
      );
      if (reply.kind === 'kept') this.#answered(count);
      return reply;
    } catch (error) {
      const failure = RedisFailure.from(error);
      // Also one that has surely not run: the hold may end by its own lease, while Redis still has what was to be given back.
      if (failure.isTransient) this.#repairAfter(failure);
      throw error;
    }
  }

  /**
   * As {@link lower}, for a caller.
   * @throws LockUnavailableError
   */
  async lowerTo(targetCount: TargetCount, releaseScript?: ReleaseScript): Promise<UnlockOutcome> {
    try {
      const { kind } = await this.lower(targetCount, releaseScript);
      if (kind === 'kept') return kind;
    } catch (error) {
      throw unavailable(this.target.name, error);
    }
    this.counted.gone();
    return 'lost';
  }

  readonly #release: ReleaseScript = (count, lease, pairedLease) =>
    this.target.release(this.lease.holder, count, lease, { pairedLease, expect: this.#expectLate(count) });

  /** A late answer confirms the count, unless another operation has been sent meanwhile. */
  #expectLate(count: number): (late: LateAnswer<ReleaseReply>) => void {
    return (late) =>
      void late.then((answer) => {
        const isLast = this.#ambiguousFailure?.settled === late && this.#waitingOperations === undefined;
        // What a hold that is over still has is taken back.
        const isOver = this.counted.targetCount === undefined;
        if (isLast && !isOver && 'reply' in answer && answer.reply.kind === 'kept') this.#answered(count);
      });
  }

  /**
   * As {@link PairedHold.endPaired}. What a lost command may have given it is not known: then nothing is made shorter.
   * @param shorten has the lease shortened to what this hold needs yet, in ms
   */
  endPaired<T>(
    request: (lease: undefined) => Promise<T>,
    shorten: (lease: number) => Promise<T>,
  ): Promise<T> {
    return this.enqueue(() => {
      const { targetCount } = this.counted;
      const isKnown =
        targetCount !== undefined && targetCount.count > 0 && this.#ambiguousFailure === undefined;
      return isKnown ? shorten(targetCount.lease) : request(undefined);
    });
  }

  /** Whether the hold has ended meanwhile: then what Redis has given it since, or may have, is taken back. */
  takeBackIfOver(): boolean {
    if (this.counted.targetCount !== undefined) return false;
    const { target, context, lease } = this;
    const { holder, longestTtl } = lease;
    const failure = this.#ambiguousFailure ?? this.#lostExtension;
    this.#lostExtension = undefined;
    const freed = context.backgroundRelease.release({ target, holder, lease: longestTtl, failure });
    context.downgrades.ended(holder, freed);
    return true;
  }

  /**
   * The lease was extended, or may have been. To be called in turn.
   * @param answer a failure without an answer
   * @param isLost whether the acquisition that it was extended for was lost meanwhile
   * @returns whether that one is extended
   * @throws LockUnavailableError
   */
  async extended(answer: number | RedisFailure, isLost: boolean): Promise<boolean> {
    const failure = typeof answer === 'number' ? undefined : answer;
    if (failure?.kind === 'ambiguous') this.#lostExtension = failure;
    if (isLost && (failure === undefined || failure.kind === 'ambiguous')) await this.#undoExtension();
    if (failure !== undefined && !isLost) throw notExtended(this.target.name, failure);
    return !isLost;
  }

  /** Some acquisitions of the hold have ended, and others go on: they do not need what an extension without an answer may have given. */
  expired(): void {
    if (this.#lostExtension !== undefined) void this.enqueue(this.#undoLostExtension);
  }

  /**
   * The hold was lost. What a command without an answer may give it yet is taken back, except from work that was given up: that keeps its
   * lease. Until all is settled its holder id must not be used again. A shutdown frees the hold itself.
   */
  lost(reason: LossReason): void {
    this.#isSpared = reason.code === 'MAX_HOLD';
    const isUnderWay = this.#waitingOperations !== undefined || this.#repairing !== undefined;
    if (reason === LOSSES.shutDown) {
      this.#lostExtension = undefined;
      return;
    }
    if (!isUnderWay && this.#lostExtension === undefined) return;
    const settled = this.enqueue(this.#undoLostExtension);
    this.context.downgrades.ended(
      this.lease.holder,
      settled.then(() => this.#repairing),
    );
  }

  readonly #undoLostExtension = (): Promise<void> =>
    this.#lostExtension === undefined ? Promise.resolve() : this.#undoExtension();

  /** What is left of the hold does not need the extension; one that is over is freed, unless it keeps its lease. */
  async #undoExtension(): Promise<void> {
    const { targetCount } = this.counted;
    if (targetCount !== undefined) await this.lower(targetCount).catch(() => undefined);
    else if (!this.#isSpared) this.takeBackIfOver();
  }

  #answered(count: number): void {
    this.#confirmedCount = count;
    this.#ambiguousFailure = undefined;
  }

  /** Brings Redis' count down to ours once the failed command can do nothing any more. */
  #repairAfter(failure: RedisFailure): void {
    this.#ambiguousFailure = failure;
    this.#repairing ??= this.context.outside(() => this.#repair(failure));
  }

  async #repair(lost: RedisFailure): Promise<void> {
    for (let failure: RedisFailure | undefined = lost; failure?.isTransient === true;) {
      await failure.settled;
      failure = await this.enqueue(() => this.#lowerQuietly());
      if (failure !== undefined) await this.context.wheel.pause(REPAIR_PAUSE);
    }
    this.#repairing = undefined;
  }

  async #lowerQuietly(): Promise<RedisFailure | undefined> {
    const { targetCount } = this.counted;
    // A later reply settled it. The hold may have ended, and its holder id may be in use by the next one.
    if (this.#ambiguousFailure === undefined) return undefined;
    // A count of 0 is a hold without an acquisition yet: its caller sends another request, or ends it.
    if (this.takeBackIfOver() || targetCount?.count === 0 || this.#confirmedCount === targetCount?.count)
      return undefined;
    try {
      if (targetCount !== undefined) await this.lower(targetCount);
      return undefined;
    } catch (error) {
      return RedisFailure.from(error);
    }
  }
}
