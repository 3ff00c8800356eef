import { LockConfigurationError } from '../errors/lock.errors.js';
import { findHold } from '../holds/hold.scope.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { WaitRequest } from '../waiters/waiter.js';
import { leaveEarly, leaveOnAbort } from '../waiters/cancellable.wait.js';
import { HoldHandle } from '../holds/handle.js';
import { Hold } from '../holds/hold.js';
import { NOT_REPLICATED_LIMIT } from '../waiters/last.answer.js';
import type { LockContext } from '../core/lock.context.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LocalLock } from '../local/local.lock.js';
import { otherSideOf, type LockTarget } from '../core/lock.target.js';
import { LONGEST_ROUND_TRIP } from '../waiters/local.waiters.js';
import { SharedLocalLock } from '../local/shared.lock.js';

/** The terms of an acquisition, times in ms. */
export type AcquireRequest = Omit<WaitRequest, 'nested'>;

/** Pause between attempts to re-enter while Redis does not answer, in ms. */
const RETRY_PAUSE = 100;

/** Acquires a lock once more for a scope that holds it, or the read side of a lock whose write side the scope holds. */
export class Reentry {
  constructor(
    private readonly context: Pick<LockContext, 'downgrades' | 'settings' | 'watchdog' | 'wheel'>,
    private readonly localLockOf: (target: LockTarget) => LocalLock,
  ) {}

  /** The live hold of the caller's scope. */
  holdOf(id: string | undefined): Hold | undefined {
    const hold = id === undefined ? undefined : findHold(this.context, id);
    return hold instanceof Hold ? hold : undefined;
  }

  /**
   * @returns undefined when the scope has no hold to re-enter, or no longer has one: the caller then acquires the lock as any other caller
   * @throws LockConfigurationError `NOT_REENTRANT`, or `UPGRADE` for a write lock inside a read hold
   */
  take(target: LockTarget, request: AcquireRequest): Promise<HoldHandle | undefined> | undefined {
    const own = this.holdOf(target.id);
    if (own !== undefined && target.kind.reentry !== 'another') {
      if (target.kind.reentry === 'counted') return this.#reenter(own, request, endOf(request));
      throw new LockConfigurationError(
        'NOT_REENTRANT',
        `This code runs inside ${target.kind.name} "${target.name}", and acquires that lock again.`,
        target.name,
      );
    }
    const other = this.holdOf(otherSideOf(target));
    if (other === undefined) return undefined;
    if (target.kind.side === 'write') {
      throw new LockConfigurationError(
        'UPGRADE',
        `This code holds the read lock "${target.name}", and requests the write lock: it would wait for itself.`,
        target.name,
      );
    }
    return this.#join(target, other, request, endOf(request));
  }

  /** Wire format section 7: a writer may read, under the holder id of its write hold. */
  async #join(
    target: LockTarget,
    writer: Hold,
    request: AcquireRequest,
    end: number,
  ): Promise<HoldHandle | undefined> {
    const local = this.localLockOf(target);
    if (!(local instanceof SharedLocalLock)) throw new TypeError(`${target.kind.name} has one holder`);
    const { holder } = writer.lease;
    const { downgrades } = this.context;
    return await local.waiters.during(async () => {
      // While the scope writes, no other holder can release the lock for it: it would wait for itself.
      while (writer.isLive) {
        const leaving = downgrades.leaving(holder);
        if (leaving !== undefined) {
          await this.#waitForRelease(leaving, target.name, request, end);
          continue;
        }
        // No release of the id is under way at this moment: from here until the joining no other code runs.
        const hold = local.join(writer);
        try {
          const handle = await this.#reenter(hold, request, end);
          if (handle !== undefined) return handle;
        } finally {
          local.leave(holder);
        }
        // Redis refuses a reader under this id when the id no longer writes.
        if (hold.lease.state === 'lost')
          await this.context.watchdog.renewNow(writer.lease, writer.renewalTtl, writer);
      }
      return undefined;
    });
  }

  /** Waits for the release of the id on the read side, which must have ended before the id reads again. */
  async #waitForRelease(
    leaving: Promise<unknown>,
    lock: string,
    { signal }: AcquireRequest,
    end: number,
  ): Promise<void> {
    const rest = end - now();
    const within = rest > 0 ? rest : this.context.settings.commandTimeout * 2;
    const why = new RedisFailure('unsent', 'an earlier read lock of this scope is not released yet');
    const timeUp = () => unavailable(lock, why);
    await leaveEarly(leaving, { signal, within, timeUp }, this.context.wheel, () => undefined);
  }

  /** Waits, within the caller's time, only for Redis to answer. */
  async #reenter(hold: Hold, request: AcquireRequest, end: number): Promise<HoldHandle | undefined> {
    const { leaseTime, signal } = request;
    const { wheel, settings } = this.context;
    for (let notReplicated = 0; ;) {
      // A turn that comes after its caller has left must not keep the callers behind it waiting for a round trip.
      let isWanted = true;
      try {
        const rest = end - now();
        const within =
          request.waitTime >= LONGEST_ROUND_TRIP && rest > 0 ? rest : settings.commandTimeout * 2;
        const timeUp = () => new RedisFailure('ambiguous', 'no answer in time');
        const granted = hold.reenter(leaseTime, () => isWanted);
        return await leaveEarly(granted, { signal, within, timeUp }, wheel, (late) => late?.unlock());
      } catch (error) {
        isWanted = false;
        signal?.throwIfAborted();
        const failure = RedisFailure.from(error);
        if (failure.isNotReplicated) notReplicated += 1;
        const isFinal = end === Infinity && notReplicated === NOT_REPLICATED_LIMIT;
        if (!failure.isTransient || isFinal || now() + RETRY_PAUSE >= end)
          throw unavailable(hold.target.name, failure);
        await leaveOnAbort(wheel.pause(RETRY_PAUSE), signal, () => undefined);
      }
    }
  }
}

/** The monotonic instant at which the caller's time is over. */
function endOf({ waitTime }: AcquireRequest): number {
  return now() + waitTime;
}
