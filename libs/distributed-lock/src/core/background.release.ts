import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { LockTarget } from './lock.target.js';

/** Pauses between attempts, in ms. */
const RETRY_PAUSE = { first: 20, longest: 500 };

/**
 * How long an undo is repeated at least, in ms. The lease is not enough: a server that stood still goes on with the commands that it has
 * received, also on connections that are gone, and may then grant what was given up long before.
 */
const UNDO_LIFE = 600_000;

/** A holder id to be freed. */
export interface PendingRelease {
  readonly target: LockTarget;
  readonly holder: string;
  /** The lease that the holder may have, in ms. */
  readonly lease: number;
  /** The failure of the last command of this holder, where known. */
  readonly failure?: RedisFailure | undefined;
}

/** The answer of Redis; `unconfirmed`: Redis refused, or could not be reached. */
export type BackgroundOutcome = 'released' | 'gone' | 'unconfirmed';

/**
 * Frees holder ids whose last command got no answer, or whose waiter has left. Holder ids are never used twice, so a later hold is never
 * released by mistake.
 */
export class BackgroundRelease {
  readonly #underWay = new Set<Promise<unknown>>();
  #over = false;

  constructor(
    private readonly wheel: TimerWheel,
    private readonly outside: <T>(run: () => T) => T,
  ) {}

  /** Holder ids that are being freed. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Stops sending: holds that are left end with their lease. */
  end(): void {
    this.#over = true;
  }

  async release({ target, holder, lease, failure }: PendingRelease): Promise<BackgroundOutcome> {
    const answer = await this.undo(() => target.release(holder, 0, 1), lease, failure);
    if (answer === undefined) return 'unconfirmed';
    return answer.reply.kind === 'released' ? 'released' : 'gone';
  }

  /** Repeats what undoes a grant. @param lease that the grant may have, in ms */
  undo<T>(
    send: () => Promise<T>,
    lease: number,
    failure?: RedisFailure,
  ): Promise<{ readonly reply: T } | undefined> {
    return this.retry(send, Math.max(lease, UNDO_LIFE), failure);
  }

  /**
   * Repeats a command that is safe to repeat until Redis has answered.
   * @param life for how long, in ms, once the earlier command was answered, or its connection is gone
   * @param failure of the earlier command
   * @returns undefined when Redis refused, or could not be reached in time
   */
  retry<T>(
    send: () => Promise<T>,
    life: number,
    failure?: RedisFailure,
  ): Promise<{ readonly reply: T } | undefined> {
    const done = this.outside(() => this.#retry(send, life, failure)).finally(() =>
      this.#underWay.delete(done),
    );
    this.#underWay.add(done);
    return done;
  }

  /** Resolves when no release is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #retry<T>(
    send: () => Promise<T>,
    life: number,
    failure: RedisFailure | undefined,
  ): Promise<{ readonly reply: T } | undefined> {
    let pause = RETRY_PAUSE.first;
    let last = failure;
    let end = Infinity;
    while (now() < end && !this.#over) {
      await last?.settled;
      if (end === Infinity) end = now() + life;
      try {
        return { reply: await send() };
      } catch (error) {
        last = RedisFailure.from(error);
        if (!last.isTransient) return undefined;
      }
      await this.wheel.pause(pause);
      pause = Math.min(pause * 2, RETRY_PAUSE.longest);
    }
    return undefined;
  }
}
