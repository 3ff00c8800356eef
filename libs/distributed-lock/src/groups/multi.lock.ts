import { LockConfigurationError, LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import type { LockKindName } from '../events/lock.event.types.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { Lock } from '../contracts/lock.contract.js';
import { BaseLock } from '../locks/base.lock.js';
import { NamedLock } from '../locks/named.lock.js';
import { leaveEarly } from '../waiters/cancellable.wait.js';
import type { HoldHandle } from '../holds/handle.js';
import { GroupHandle } from './group.handle.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LockEngine } from '../locks/lock.engine.js';
import { otherSideOf, type LockTarget } from '../core/lock.target.js';
import { isTransient, type TransientRefusal } from '../core/transient.refusal.js';
import type { AcquireRequest } from '../locks/reentry.js';
import { onAbort } from '../waiters/abort.listener.js';
import { LONGEST_ROUND_TRIP } from '../waiters/local.waiters.js';

/** The answers that one call has received so far. */
interface Progress {
  /** Why a member was not acquired. */
  refusal: LockNotAcquiredError | undefined;
  /** Why the last request to Redis failed. */
  trouble: LockUnavailableError | undefined;
  /** The monotonic instant of the last answer of Redis. */
  answeredAt: number;
}

/** The maximum age of the last answer with which a timeout is still reported as a refusal, in ms. */
const FRESH = 1000;

/** How long a refused caller waits for its members to be given back before its call is rejected, in ms. */
const GIVING_BACK = 25;

/**
 * Several locks as one. The locks are acquired in the order of their names, in whatever order the caller named them, and a
 * waiting caller holds only locks that come before the lock it waits for: so callers cannot wait for each other in a
 * circle. Free locks are acquired in one round trip.
 */
export class MultiLock extends BaseLock {
  readonly #engine: LockEngine;
  readonly name: string;
  readonly #targets: readonly LockTarget[];

  /** @throws LockConfigurationError `INVALID_OPTION` for none at all, or both sides of one read/write lock */
  constructor(engine: LockEngine, targets: readonly LockTarget[]) {
    super(engine.context);
    this.#engine = engine;
    const byId = new Map(targets.map((target) => [target.id, target]));
    this.#targets = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    this.name = this.#targets.map(({ name }) => name).join(', ');
    if (byId.size === 0)
      throw new LockConfigurationError('INVALID_OPTION', 'A multi lock needs at least one lock.');
    const both = this.#targets.find((target) => byId.has(otherSideOf(target) ?? ''));
    if (both !== undefined) {
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `A multi lock cannot contain both the read and the write lock of "${both.name}".`,
        both.name,
      );
    }
  }

  /** @throws LockConfigurationError `INVALID_OPTION` also for a lock of another engine */
  static of(engine: LockEngine, members: readonly (string | Lock)[]): MultiLock {
    const targets = members.map((member) => {
      if (typeof member === 'string') return engine.target('reentrant', member);
      if (member instanceof NamedLock && member.engine === engine) return member.target;
      throw new LockConfigurationError(
        'INVALID_OPTION',
        'The members of a multi lock must be names, or locks of the same LockService.',
      );
    });
    return new MultiLock(engine, targets);
  }

  protected get kind(): LockKindName {
    return 'multi';
  }

  isHeld(): boolean {
    return this.#targets.every((target) => this.#engine.holdOf(target)?.isBelieved === true);
  }

  /** The caller is answered in time, even if members are not; a lock that is granted later is given back. */
  protected acquire(request: AcquireRequest): Promise<GroupHandle> {
    const { signal, waitTime } = request;
    const since = now();
    const progress: Progress = { refusal: undefined, trouble: undefined, answeredAt: -Infinity };
    const timeUp = () => this.#timeUp(progress, now() - since);
    const bounds = {
      signal,
      within: waitTime >= LONGEST_ROUND_TRIP ? waitTime + GIVING_BACK : Infinity,
      timeUp,
    };
    const taken = this.#take(request, since, progress);
    return leaveEarly(taken, bounds, this.#engine.context.wheel, (late) => late.unlock());
  }

  async #take(request: AcquireRequest, since: number, progress: Progress): Promise<GroupHandle> {
    const end = since + request.waitTime;
    for (;;) {
      const held = await this.#round(request, end, progress);
      const isComplete = held.length === this.#targets.length;
      if (isComplete && (await this.#refresh(held, request.leaseTime, since, progress)))
        return this.#groupOf(held);
      await release(held);
      if (now() >= end) throw this.#timeUp(progress, now() - since);
    }
  }

  #groupOf(held: readonly HoldHandle[]): GroupHandle {
    for (const { isOpen, ownTimers } of held) if (isOpen) ownTimers?.begin();
    return new GroupHandle(this.name, held, held.length);
  }

  #timeUp({ refusal, trouble, answeredAt }: Progress, waited: number): Error {
    if (refusal !== undefined && now() - answeredAt <= FRESH)
      return new LockNotAcquiredError(this.name, waited, refusal.heldBy);
    const noAnswer = new RedisFailure('unsent', `no answer within ${Math.round(waited)} ms`);
    return unavailable(this.name, trouble?.cause ?? noAnswer);
  }

  /** Acquires the free members, and waits for the next one. */
  async #round(request: AcquireRequest, end: number, progress: Progress): Promise<HoldHandle[]> {
    const held: HoldHandle[] = [];
    try {
      for (;;) {
        record(progress, await this.#takeFree(held, request));
        const next = this.#targets[held.length];
        const rest = end - now();
        if (next === undefined || rest <= 0) return held;
        const granted = await this.#waitFor(next, { ...request, waitTime: rest }, { held, progress });
        if (granted === undefined) return held;
        hold(held, [granted]);
        record(progress, undefined);
      }
    } catch (error) {
      // A caller without a time limit gets the error of the member that has waited long enough for replicas.
      if (isTransient(error) && (end < Infinity || error.code !== 'NOT_REPLICATED')) {
        record(progress, error);
        return held;
      }
      await release(held);
      throw error;
    }
  }

  /**
   * Waits for a member. Fixed leases of those that are held would end meanwhile: they are extended, so that the waiter keeps its turn.
   * @returns undefined when one of them is lost
   */
  async #waitFor(
    next: LockTarget,
    request: AcquireRequest,
    { held, progress }: { readonly held: readonly HoldHandle[]; readonly progress: Progress },
  ): Promise<HoldHandle | undefined> {
    const { leaseTime, signal } = request;
    // A signal that aborted while members were given back calls no listener any more.
    signal?.throwIfAborted();
    if (leaseTime === undefined || held.length === 0) return await this.#engine.acquire(next, request);
    const { wheel } = this.#engine.context;
    const stop = new AbortController();
    const unlisten = onAbort(signal, () => stop.abort(signal?.reason));
    const waiting = this.#engine.acquire(next, { ...request, signal: stop.signal });
    try {
      for (;;) {
        const granted = await wheel.within(leaseTime / 3, waiting);
        if (granted !== undefined) return granted;
        // One that gets no answer is tried again while its lease lasts.
        await this.#extend(held, leaseTime, progress);
        // One in doubt, as after a suspend, may still be held.
        if (held.every(({ isOpen }) => isOpen)) continue;
        stop.abort();
        return await waiting.catch(() => undefined);
      }
    } finally {
      unlisten();
    }
  }

  /** Extends fixed leases. @returns whether all of them were extended */
  async #extend(held: readonly HoldHandle[], leaseTime: number, progress: Progress): Promise<boolean> {
    const extended = await Promise.allSettled(held.map((handle) => handle.extend(leaseTime)));
    for (const answer of extended)
      if (answer.status === 'rejected' && isTransient(answer.reason)) record(progress, answer.reason);
    return extended.every((answer) => answer.status === 'fulfilled' && answer.value);
  }

  /** Requests all missing members in one turn, and keeps those before the first that is not free. */
  async #takeFree(held: HoldHandle[], request: AcquireRequest): Promise<TransientRefusal | undefined> {
    const missing = this.#targets.slice(held.length);
    const requests = missing.map((target) => this.#engine.acquire(target, { ...request, waitTime: 0 }));
    const answers = await Promise.allSettled(requests);
    const refused = answers.findIndex(({ status }) => status === 'rejected');
    const kept = refused === -1 ? answers.length : refused;
    const granted = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
    hold(
      held,
      granted.slice(0, kept).filter((handle) => handle !== undefined),
    );
    await release(granted.slice(kept).filter((handle) => handle !== undefined));
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue;
      const { reason } = answer;
      if (!isTransient(reason) || (request.waitTime === 0 && reason instanceof LockUnavailableError))
        throw reason;
    }
    const answer = answers[refused];
    return answer?.status === 'rejected' ? answer.reason : undefined;
  }

  /** Renews fixed leases that began one after the other, so that they begin together. @returns false when one of them is over already */
  async #refresh(
    held: readonly HoldHandle[],
    leaseTime: number | undefined,
    since: number,
    progress: Progress,
  ): Promise<boolean> {
    if (leaseTime === undefined || now() - since < leaseTime / 10) return held.every(({ isHeld }) => isHeld);
    return await this.#extend(held, leaseTime, progress);
  }
}

function record(progress: Progress, refusal: TransientRefusal | undefined): void {
  if (refusal instanceof LockUnavailableError) {
    progress.trouble = refusal;
    return;
  }
  progress.refusal = refusal ?? progress.refusal;
  progress.answeredAt = now();
}

/** Adds members. How long each is held counts from the moment in which all are. */
function hold(held: HoldHandle[], granted: readonly HoldHandle[]): void {
  for (const { ownTimers } of granted) ownTimers?.cancel();
  held.push(...granted);
}

/** Gives back exactly the given handles; a failure is logged, and the release is repeated in the background. */
async function release(handles: readonly HoldHandle[]): Promise<void> {
  await Promise.allSettled(handles.toReversed().map((handle) => handle.unlock()));
}
