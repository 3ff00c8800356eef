import type { LockHandle } from '../contracts/lock.contract.js';
import { LockConfigurationError, LockNotAcquiredError } from '../errors/lock.errors.js';
import { now } from '../timing/monotonic.clock.js';
import { BaseLock } from './base.lock.js';
import type { Grant } from './grant.js';
import { GroupHandle } from './group.handle.js';
import type { LockEngine } from './lock.engine.js';
import { otherSideOf, type LockTarget } from './lock.target.js';
import type { AcquireRequest } from './reentry.js';

/** How far a round got: what it holds, in order, and why it did not get the next one. */
interface Round {
  readonly got: Grant[];
  readonly refusal: LockNotAcquiredError | undefined;
}

/**
 * Several locks as one. They are taken in the order of their names, whatever order the caller named them in, and nobody
 * who waits holds more than what comes before the lock that is waited for: so callers cannot wait for each other in a
 * circle. What is free is taken in one round trip.
 */
export class MultiLock extends BaseLock {
  readonly name: string;
  readonly #targets: readonly LockTarget[];

  /** @throws LockConfigurationError `INVALID_OPTION` for none at all, or both sides of one read/write lock */
  constructor(
    private readonly engine: LockEngine,
    targets: readonly LockTarget[],
  ) {
    super(engine.context.settings);
    const byId = new Map(targets.map((target) => [target.id, target]));
    this.#targets = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    this.name = this.#targets.map(({ name }) => name).join(', ');
    if (byId.size === 0) throw new LockConfigurationError('INVALID_OPTION', 'A multi lock needs a name.');
    const both = this.#targets.find((target) => byId.has(otherSideOf(target) ?? ''));
    if (both !== undefined) {
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `A multi lock cannot read and write "${both.name}" at once.`,
        both.name,
      );
    }
  }

  isHeld(): boolean {
    return this.#targets.every((target) => this.engine.holdOf(target)?.isBelieved === true);
  }

  protected async acquire(request: AcquireRequest): Promise<LockHandle> {
    const since = now();
    const end = since + request.waitTime;
    for (;;) {
      const { got, refusal } = await this.#round(request, end);
      if (got.length === this.#targets.length && (await this.#refresh(got, request.leaseTime, since)))
        return new GroupHandle(this.name, got, got.length);
      await release(got);
      if (now() >= end) {
        const why = refusal?.heldBy;
        throw new LockNotAcquiredError(this.name, now() - since, why);
      }
    }
  }

  /** Takes what it can; waits with what it has, but no longer than half of a fixed lease, which would be over meanwhile. */
  async #round(request: AcquireRequest, end: number): Promise<Round> {
    const got: Grant[] = [];
    try {
      for (;;) {
        const refusal = await this.#takeFree(got, request);
        const next = this.#targets[got.length];
        if (next === undefined) return { got, refusal: undefined };
        const rest = end - now();
        if (rest <= 0) return { got, refusal };
        const bound = got.length === 0 || request.leaseTime === undefined ? rest : request.leaseTime / 2;
        const waitTime = Math.min(rest, bound);
        got.push(await this.engine.acquire(next, { ...request, waitTime }));
      }
    } catch (error) {
      if (error instanceof LockNotAcquiredError && error.code === 'NOT_ACQUIRED')
        return { got, refusal: error };
      await release(got);
      throw error;
    }
  }

  /** Asks for all that are missing in one turn, and keeps those before the first that is not free. */
  async #takeFree(got: Grant[], request: AcquireRequest): Promise<LockNotAcquiredError | undefined> {
    const missing = this.#targets.slice(got.length);
    const asked = missing.map((target) => this.engine.acquire(target, { ...request, waitTime: 0 }));
    const answers = await Promise.allSettled(asked);
    const refused = answers.findIndex(({ status }) => status === 'rejected');
    const kept = refused === -1 ? answers.length : refused;
    const granted = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
    got.push(...granted.slice(0, kept).filter((grant) => grant !== undefined));
    await release(granted.slice(kept).filter((grant) => grant !== undefined));
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue;
      const { reason } = answer;
      if (!(reason instanceof LockNotAcquiredError) || reason.code !== 'NOT_ACQUIRED') throw reason;
    }
    const answer = answers[refused];
    return answer?.status === 'rejected' ? answer.reason : undefined;
  }

  /** Fixed leases that began one after the other begin anew together. @returns false when one of them is over already */
  async #refresh(got: readonly Grant[], leaseTime: number | undefined, since: number): Promise<boolean> {
    if (leaseTime === undefined || now() - since < leaseTime / 10) return got.every(({ isHeld }) => isHeld);
    const extended = await Promise.all(got.map((grant) => grant.extend(leaseTime).catch(() => false)));
    return extended.every(Boolean);
  }
}

/** Gives back exactly what was got; trouble goes to the log, and on in the background. */
async function release(grants: readonly Grant[]): Promise<void> {
  await Promise.allSettled(grants.toReversed().map((grant) => grant.unlock()));
}
