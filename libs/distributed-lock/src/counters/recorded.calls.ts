import { RedisFailure } from '../redis/redis.failure.js';
import { promised, promisedLate, type LateAnswer, type ReplyCallback } from '../replies/reply.callback.js';
import { CALL_ECHO, CALL_LIFE } from '../scripts/call.scripts.js';
import type { EarlierCommand } from '../core/background.release.js';
import type { CounterTarget } from '../core/counter.target.js';
import { leaveEarly } from '../waiters/cancellable.wait.js';
import type { LockContext } from '../core/lock.context.js';
import { unavailable } from '../core/unavailable.errors.js';

/**
 * Calls to semaphores and latches. Each has an id of its own, of which Redis keeps a record: so a call is safe to repeat, and can be undone,
 * although it has no holder.
 */
export class RecordedCalls {
  constructor(
    private readonly context: Pick<
      LockContext,
      'backgroundRelease' | 'counters' | 'ids' | 'notices' | 'settings' | 'wheel'
    >,
    private readonly target: CounterTarget,
  ) {}

  /**
   * Sends the call once.
   * @param undo ensures that a call without an answer has no effect
   * @throws LockUnavailableError
   */
  once<T>(send: (call: string) => Promise<T>, undo?: (call: string) => Promise<unknown>): Promise<T> {
    return this.context.backgroundRelease.withoutLease(this.#once(send, undo));
  }

  /**
   * Repeats the call until Redis has answered: a release must arrive. The caller waits no longer than for any round trip.
   * @param what the call, for the log: "release"
   * @throws LockUnavailableError
   */
  retry<T>(what: string, send: (call: string, callback: ReplyCallback<T>) => void): Promise<T> {
    return this.context.backgroundRelease.withoutLease(this.#retry(what, send));
  }

  /** Ensures that a call without an answer has no effect. */
  undo(
    undo: () => Promise<unknown>,
    earlier: EarlierCommand<unknown> & { readonly failure: RedisFailure },
  ): void {
    if (earlier.failure.kind === 'ambiguous') void this.#retryLater(undo, earlier);
  }

  /** The reply of a call has arrived, so its record is no longer needed. @param wasRepeated whether a copy of the call may still be on its way */
  forget(call: string, wasRepeated = false): void {
    const { backgroundRelease, counters } = this.context;
    const keep = wasRepeated ? CALL_ECHO : 0;
    void backgroundRelease.retry(() => counters.calls.forget(this.target.key, call, keep), CALL_LIFE);
  }

  async #once<T>(send: (call: string) => Promise<T>, undo?: (call: string) => Promise<unknown>): Promise<T> {
    const call = this.context.ids.next();
    try {
      return await this.#sendOnce(call, send);
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (undo !== undefined) this.undo(() => undo(call), { failure });
      throw unavailable(this.target.name, failure);
    }
  }

  async #retry<T>(what: string, send: (call: string, callback: ReplyCallback<T>) => void): Promise<T> {
    const call = this.context.ids.next();
    const sendCall = (callback: ReplyCallback<T>) => send(call, callback);
    let late: LateAnswer<T> | undefined;
    const expect = (answer: LateAnswer<T>) => {
      late = answer;
    };
    try {
      return await this.#sendOnce(call, () => promised(sendCall, expect));
    } catch (error) {
      const failure = RedisFailure.from(error);
      const why = failure.message;
      if (!failure.isTransient) {
        this.#post('call-refused', what, why);
        throw unavailable(this.target.name, failure);
      }
      return await this.#retryInBackground(call, what, () => promisedLate(sendCall), { failure, late });
    }
  }

  async #sendOnce<T>(call: string, send: (call: string) => Promise<T>): Promise<T> {
    const reply = await send(call);
    this.forget(call);
    return reply;
  }

  async #retryInBackground<T>(
    call: string,
    what: string,
    send: () => Promise<T>,
    first: EarlierCommand<T> & { readonly failure: RedisFailure },
  ): Promise<T> {
    const { settings, wheel } = this.context;
    const { failure } = first;
    const answer = this.#retryLater(send, first).then((answered) => {
      if (answered !== undefined) this.forget(call, true);
      return answered;
    });
    const timeUp = () => failure;
    const bounds = { signal: undefined, within: settings.commandTimeout, timeUp };
    const answered = await leaveEarly(answer, bounds, wheel, () => undefined).catch(() => undefined);
    if (answered !== undefined) return answered.reply;
    this.#post('call-delayed', what, failure.message);
    throw unavailable(this.target.name, failure);
  }

  #retryLater<T>(
    send: () => Promise<T>,
    earlier: EarlierCommand<T>,
  ): Promise<{ readonly reply: T } | undefined> {
    const { backgroundRelease } = this.context;
    return backgroundRelease.withoutLease(backgroundRelease.retry(send, CALL_LIFE, earlier));
  }

  #post(kind: 'call-delayed' | 'call-refused', what: string, why: string): void {
    this.context.notices.post({ kind, lock: this.target.name, what, why });
  }
}
