import { RedisFailure } from '../redis/redis.failure.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import { isToWatch } from '../replies/queue.replies.js';
import { promisedLate } from '../replies/reply.callback.js';
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

/** The command before the first one of a {@link BackgroundRelease}, which has to have settled. */
export interface EarlierCommand<T> {
  readonly failure?: RedisFailure | undefined;
  /** Given if its late answer makes a repetition superfluous: it was the same command, or there is nothing to undo. */
  readonly late?: Promise<{ readonly reply: T } | RedisFailure | undefined> | undefined;
}

/** A holder id to be freed. `failure` and `late` are of the last command of this holder, where known. */
export interface PendingRelease extends EarlierCommand<ReleaseReply> {
  readonly target: LockTarget;
  readonly holder: string;
  /** The lease that the holder may have, in ms. */
  readonly lease: number;
}

/** The answer of Redis; `unconfirmed`: Redis refused, or could not be reached. */
export type BackgroundOutcome = 'released' | 'gone' | 'unconfirmed';

/**
 * Frees holder ids whose last command got no answer, or whose waiter has left. Holder ids are never used twice, so a later hold is never
 * released by mistake.
 */
export class BackgroundRelease {
  /** Receives the place that a release has notified of its turn, empty for none: its process may not come. */
  onCalled: ((target: LockTarget, place: string) => void) | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Calls that change what has no lease. */
  readonly #withoutLease = new Set<Promise<unknown>>();
  #over = false;

  constructor(
    private readonly wheel: TimerWheel,
    private readonly outside: <T>(run: () => T) => T,
  ) {}

  /** Holder ids that are being freed. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Whether a call {@link withoutLease} is under way. */
  get hasCallsWithoutLease(): boolean {
    return this.#withoutLease.size > 0;
  }

  /** Stops sending: holds that are left end with their lease. */
  end(): void {
    this.#over = true;
  }

  async release({ target, holder, lease, ...earlier }: PendingRelease): Promise<BackgroundOutcome> {
    const { kind, key, channel } = target;
    const command = { key, holder, count: 0, lease: 1, channel };
    const send = () => promisedLate<ReleaseReply>((callback) => kind.scripts.release(command, callback));
    const answer = await this.undo(send, lease, earlier);
    if (answer === undefined) return 'unconfirmed';
    this.report(target, answer.reply);
    return answer.reply.kind === 'released' ? 'released' : 'gone';
  }

  /** Reports the process that a release has notified, if there is one, or others that it has reached. */
  report(target: LockTarget, reply: ReleaseReply): void {
    if (reply.kind !== 'released' || reply.called === undefined) return;
    if (isToWatch(reply.called, reply.reached)) this.onCalled?.(target, reply.called);
  }

  /** Repeats what undoes a grant. @param lease that the grant may have, in ms */
  undo<T>(
    send: () => Promise<T>,
    lease: number,
    earlier?: EarlierCommand<T>,
  ): Promise<{ readonly reply: T } | undefined> {
    return this.retry(send, Math.max(lease, UNDO_LIFE), earlier);
  }

  /**
   * Repeats a command that is safe to repeat until Redis has answered.
   * @param send rejects only when the command has settled: an answer that comes late ends the repetition
   * @param life for how long, in ms, once the earlier command was answered, or its connection is gone
   * @returns undefined when Redis refused, or could not be reached in time
   */
  retry<T>(
    send: () => Promise<T>,
    life: number,
    earlier?: EarlierCommand<T>,
  ): Promise<{ readonly reply: T } | undefined> {
    return counted(
      this.#underWay,
      this.outside(() => this.#retry(send, life, earlier)),
    );
  }

  /** Counts a call that changes what has no lease, so that no lease ends what is left if it does not arrive. */
  withoutLease<T>(call: Promise<T>): Promise<T> {
    return counted(this.#withoutLease, call);
  }

  /** Resolves when no release is under way. */
  idle(): Promise<void> {
    return untilEmpty(this.#underWay);
  }

  /** Resolves when no call {@link withoutLease} is under way. */
  idleWithoutLease(): Promise<void> {
    return untilEmpty(this.#withoutLease);
  }

  async #retry<T>(
    send: () => Promise<T>,
    life: number,
    { failure, late }: EarlierCommand<T> = {},
  ): Promise<{ readonly reply: T } | undefined> {
    const answer = await late;
    if (answer !== undefined && 'reply' in answer) return answer;
    await failure?.settled;
    let pause = RETRY_PAUSE.first;
    const end = now() + life;
    while (now() < end && !this.#over) {
      try {
        return { reply: await send() };
      } catch (error) {
        const refusal = RedisFailure.from(error);
        await refusal.settled;
        if (!refusal.isTransient) return undefined;
      }
      await this.wheel.pause(pause);
      pause = Math.min(pause * 2, RETRY_PAUSE.longest);
    }
    return undefined;
  }
}

/** Counts a call among `calls` until it has settled. */
function counted<T>(calls: Set<Promise<unknown>>, call: Promise<T>): Promise<T> {
  const done = call.finally(() => calls.delete(done));
  calls.add(done);
  return done;
}

async function untilEmpty(underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}
