import { LockConfigurationError, LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { findHold, isInside } from '../holders/hold.scope.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { LockState } from '../scripts/reentrant.scripts.js';
import { lockChannel } from '../scripts/wire.names.js';
import { now } from '../timing/monotonic.clock.js';
import { leaveEarly } from './early.leave.js';
import { Grant } from './grant.js';
import { Hold } from './hold.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';
import { LockLine } from './lock.line.js';

/** What an acquisition asks for, in ms. */
export interface AcquireRequest {
  readonly waitTime: number;
  readonly leaseTime: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Pause between attempts to re-enter while Redis does not answer, in ms. */
const REENTER_PAUSE = 100;

/** The locks of one module instance: finds the hold of the caller's scope, or the line to stand in. */
export class LockEngine {
  readonly #lines = new Map<string, LockLine>();
  #closing = false;
  #whenIdle: (() => void)[] = [];

  constructor(readonly context: LockContext) {}

  /** @throws LockConfigurationError `INVALID_NAME` */
  names(name: string): LockNames {
    if (typeof name !== 'string' || name.length === 0 || name.length > 1024 || name.includes('\0')) {
      throw new LockConfigurationError(
        'INVALID_NAME',
        `A lock cannot be called ${JSON.stringify(name)?.slice(0, 80)}.`,
      );
    }
    const key = this.context.settings.mapName(name);
    return { name, key, channel: lockChannel(key) };
  }

  /** Every lock that this process holds or waits for. */
  get lines(): ReadonlyMap<string, LockLine> {
    return this.#lines;
  }

  /** The live hold of the caller's scope. */
  holdOf(key: string): Hold | undefined {
    const hold = findHold(this.context, key);
    return hold instanceof Hold ? hold : undefined;
  }

  /**
   * @throws LockNotAcquiredError when somebody else has the lock until `waitTime` is over
   * @throws LockUnavailableError when Redis could not be asked, or the application shuts down
   */
  async acquire(names: LockNames, request: AcquireRequest): Promise<Grant> {
    const { waitTime, leaseTime, signal } = request;
    signal?.throwIfAborted();
    const end = now() + waitTime;
    const hold = this.holdOf(names.key);
    const again = hold === undefined ? undefined : await this.#reenter(hold, request, end);
    if (again !== undefined) return again;
    const nested = isInside(this.context);
    if (this.#closing && !nested) throw shuttingDown(names.name);
    const line = this.line(names);
    // What a hold that ended under its re-entry took of the time is gone.
    if (waitTime > 0) return await line.wait({ ...request, waitTime: Math.max(end - now(), 1), nested });
    const granted = await this.#leaving(line.try(leaseTime), signal, Infinity);
    if (!(granted instanceof Grant)) throw new LockNotAcquiredError(names.name, 0, granted);
    return granted;
  }

  /** The line of a lock; made when it is first needed, forgotten when nobody holds or waits. */
  line(names: LockNames): LockLine {
    let line = this.#lines.get(names.key);
    if (line === undefined) {
      line = new LockLine(this.context, names, (idle) => this.#forget(idle));
      this.#lines.set(names.key, line);
    }
    return line;
  }

  /** Resolves when this process neither holds nor waits for any lock. */
  async idle(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  async inspect(names: LockNames, holder = ''): Promise<LockState> {
    try {
      return await this.context.kind.inspect(names.key, holder);
    } catch (error) {
      throw unavailable(names.name, error);
    }
  }

  async forceUnlock(names: LockNames): Promise<boolean> {
    try {
      const freed = await this.context.kind.forceRelease(names.key, names.channel);
      // A holder of this process need not wait for its next renewal to learn of it.
      if (freed) this.#lines.get(names.key)?.hold?.lose('it was unlocked by force');
      return freed;
    } catch (error) {
      throw unavailable(names.name, error);
    }
  }

  /** From now on a lock is granted only inside a scope that holds one; other waiters are refused. */
  refuseNewcomers(): void {
    this.#closing = true;
    for (const line of this.#lines.values())
      line.refuse(({ nested }) => (nested ? undefined : shuttingDown(line.names.name)));
  }

  #forget(line: LockLine): void {
    if (this.#lines.get(line.names.key) === line) this.#lines.delete(line.names.key);
    if (this.#lines.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Takes the lock once more for a scope that holds it. Waits, as long as it may, only for Redis to answer. */
  async #reenter(hold: Hold, request: AcquireRequest, end: number): Promise<Grant | undefined> {
    const { leaseTime, signal } = request;
    for (;;) {
      // A turn that comes after its caller has left must not keep those behind it waiting for a round trip.
      let isWanted = true;
      try {
        const rest = end - now();
        const within = rest > 0 ? rest : this.context.settings.commandTimeout * 2;
        return await this.#leaving(
          hold.reenter(leaseTime, () => isWanted),
          signal,
          within,
        );
      } catch (error) {
        isWanted = false;
        signal?.throwIfAborted();
        const failure = RedisFailure.from(error);
        if (!failure.passing || now() + REENTER_PAUSE >= end) throw unavailable(hold.names.name, failure);
        const pause = new Promise<void>((resolve) => this.context.wheel.after(REENTER_PAUSE, resolve));
        await this.#leaving(pause, signal, Infinity);
      }
    }
  }

  /** A caller that leaves early gives back the grant that comes for it later. */
  #leaving<T>(answer: Promise<T>, signal: AbortSignal | undefined, within: number): Promise<T> {
    const timeUp = () => new RedisFailure('ambiguous', 'no answer in time');
    return leaveEarly(answer, { signal, within, timeUp }, this.context.wheel, (late) =>
      late instanceof Grant ? late.unlock() : undefined,
    );
  }
}

function shuttingDown(lock: string): LockUnavailableError {
  return new LockUnavailableError(lock, `Lock "${lock}" was not granted.`, undefined, 'SHUTTING_DOWN');
}
