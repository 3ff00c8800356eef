import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { HoldHandle } from '../holds/handle.js';
import { GroupHandle } from './group.handle.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { QuorumTerms, RoundRefusal } from './quorum.contract.js';
import { QuorumTally } from './quorum.tally.js';
import type { Upheld } from './red.upkeep.js';

/**
 * Requests the lock on every server at once, and ends as soon as the quorum is reached or out of reach. A later grant joins
 * the handle; a failed round gives back every grant, late ones as well.
 * @param leaseTime in ms; undefined for a lease that the watchdog renews
 * @param outer the handle through which the caller's scope, which is this one's, already holds the lock
 */
export function requestQuorum(
  terms: QuorumTerms,
  leaseTime: number | undefined,
  outer?: GroupHandle,
): Promise<GroupHandle | RoundRefusal> {
  return new Promise((resolve) => new QuorumRound(terms, leaseTime, outer, resolve).start());
}

/**
 * Checks whether a quorum is free, and acquires nothing: to acquire a minority and give it back would wake every waiter.
 * @returns undefined when a quorum is free
 */
export function checkQuorum(terms: QuorumTerms): Promise<RoundRefusal | undefined> {
  const tally = new QuorumTally(terms);
  return new Promise((resolve) => {
    const check = () => {
      if (tally.granted >= terms.quorum) resolve(undefined);
      else if (tally.granted + tally.pending < terms.quorum) resolve(tally.refusal);
    };
    for (const { engine } of tally.requested) {
      engine
        .inspect(terms.targetOn(engine))
        .then(({ isLocked, holder, ttl }) => (isLocked ? tally.refuse({ holder, ttl }) : tally.grant()))
        .catch((error: unknown) => tally.fail(error))
        .finally(check);
    }
    check();
  });
}

class QuorumRound implements Upheld {
  readonly #handle: GroupHandle;
  readonly #tally: QuorumTally;
  /** By server: the handle that it granted, or null while the request is under way. */
  readonly #members = new Map<LockEngine, HoldHandle | null>();
  #isOver = false;
  #isDelivered = false;

  constructor(
    private readonly terms: QuorumTerms,
    private readonly leaseTime: number | undefined,
    private readonly outer: GroupHandle | undefined,
    private readonly conclude: (outcome: GroupHandle | RoundRefusal) => void,
  ) {
    this.#handle = new GroupHandle(terms.name, [], terms.quorum, {
      ...terms.bounds,
      closed: (outcome) => this.#closed(outcome),
      lost: (why) => this.#lost(why),
      memberLost: (member) => this.#memberLost(member),
    });
    this.#tally = new QuorumTally(terms);
  }

  get isOver(): boolean {
    return this.#handle.signal.aborted;
  }

  start(): void {
    this.terms.asOneHolder(() => {
      for (const { engine } of this.#tally.requested)
        void this.#requestFrom(engine).then(() => this.#check());
    });
    this.#check();
  }

  /** A server that forgot the lock, or was away, gets another holder id: a command with the first id may still be on its way. */
  complete(): void {
    // In doubt, as after a suspend, it may be held again later.
    if (!this.#handle.isHeld) return;
    const requestAll = () => {
      for (const { engine, trouble } of this.terms.servers) {
        const member = this.#members.get(engine);
        if (trouble === undefined && member !== null && member?.isOpen !== true)
          void this.#requestFrom(engine);
      }
    };
    // A server that the outer handle has got by now is re-entered.
    if (this.outer === undefined) requestAll();
    else this.outer.enter(requestAll);
  }

  async #requestFrom(engine: LockEngine): Promise<void> {
    this.#members.set(engine, null);
    try {
      const answer = await this.#acquireOn(engine);
      if (answer instanceof HoldHandle) this.#got(engine, answer);
      else if (!this.#isOver) this.#tally.refuse(answer);
    } catch (error) {
      if (!this.#isOver) this.#tally.fail(error);
    } finally {
      if (this.#members.get(engine) === null) this.#members.delete(engine);
    }
  }

  /**
   * A scope that holds the lock on the server re-enters it, and acquires nothing new: it is the outer handle that is completed.
   * Other callers bypass the admission of the engine: admission is decided for all servers together.
   */
  async #acquireOn(engine: LockEngine): Promise<HoldHandle | HeldBy> {
    const target = this.terms.targetOn(engine);
    const { leaseTime } = this;
    const isOurs = engine.holdOf(target) !== undefined;
    if (!isOurs && this.outer?.isOpen === true)
      throw new RedisFailure('unsent', 'the scope does not hold the lock on this server');
    if (isOurs) return await engine.acquire(target, { leaseTime, waitTime: 0, signal: undefined });
    const lock = engine.localLock(target);
    try {
      return await lock.acquire({ leaseTime, waitTime: 0, signal: undefined, nested: false });
    } catch (error) {
      if (!(error instanceof LockNotAcquiredError)) throw error;
      // A hold of this process refuses without a request to Redis; the end of its lease is not published.
      const [own] = lock.holds;
      return own === undefined
        ? error.heldBy
        : { ttl: Math.max(0, own.lease.deadline - now()), ...error.heldBy };
    }
  }

  #closed(outcome: Promise<UnlockOutcome>): void {
    const { upkeep, freed } = this.terms;
    upkeep.remove(this);
    // Before the round has delivered the handle no caller has it, and what it gives back was never held.
    if (this.#isDelivered) void outcome.catch(() => undefined).then((what) => what === 'kept' || freed());
  }

  #lost(why: string): void {
    // While its work goes on, what is left of the hold would keep the next one from these servers.
    for (const member of this.#handle.members) void member.unlock().catch(() => undefined);
    // The loss of a re-entered hold is reported by the outer handle.
    if (this.#handle.isOpen && this.outer?.isOpen !== true) this.terms.lost(this.#handle.holder, why);
  }

  /** A renewal without an answer may have kept it on its server, where it would be in the way of its own group for a lease. */
  #memberLost(member: HoldHandle): void {
    // A fixed lease ends in Redis as well, and a hold that lasts too long keeps its lock as long as that.
    if (this.leaseTime !== undefined || member.loss?.code !== 'LOST') return;
    for (const [engine, known] of this.#members) {
      if (known !== member) continue;
      const { backgroundRelease, settings } = engine.context;
      const target = this.terms.targetOn(engine);
      void backgroundRelease.release({ target, holder: member.holder, lease: settings.watchdogTimeout });
    }
  }

  #got(engine: LockEngine, grant: HoldHandle): void {
    this.#tally.grant();
    // While the group had too few members another caller may have held the lock: such a group is not completed again.
    if (!this.#handle.isOpen || (this.#isOver && !this.#handle.isHeld)) {
      void grant.unlock().catch(() => undefined);
      return;
    }
    this.#members.set(engine, grant);
    this.#handle.join(grant);
  }

  #check(): void {
    if (this.#isOver) return;
    const { quorum, upkeep } = this.terms;
    // A grant at the beginning of the round may have ended by now: only members that are still held count.
    const held = [...this.#members.values()].filter((grant) => grant?.isHeld === true).length;
    if (held >= quorum) {
      this.#isOver = true;
      this.#isDelivered = true;
      // From now on the handle reports its loss.
      void this.#handle.signal;
      if (this.leaseTime === undefined) upkeep.add(this);
      this.conclude(this.#handle);
    } else if (held + this.#tally.pending < quorum) {
      this.#isOver = true;
      const { refusal } = this.#tally;
      // The grants of this round must not block the next one. A release without an answer is repeated in the background.
      void this.#handle.giveBack().then(() => this.conclude(refusal));
    }
  }
}
