import { RedisFailure } from '../redis/redis.failure.js';
import { promised, type LateAnswer } from '../replies/reply.callback.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Attempt, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { PermitsReply } from '../scripts/semaphore.scripts.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LockContext } from '../core/lock.context.js';
import { RecordedCalls } from './recorded.calls.js';

/** The requested number of permits. */
export interface PermitsTerms {
  readonly permits: number;
  /** The number that is requested when `permits` are not available: fewer, for the first waiter alone. */
  readonly least: number;
}

/** The permits that Redis granted. */
export interface PermitsGrant {
  readonly kind: 'granted';
  readonly permits: number;
  /** The permits that are still available. */
  readonly left: number;
}

/** No lease stands in the way of permits: a message ends the wait, or the longest sleep does. */
const NONE: Busy = { kind: 'busy', ttl: Infinity, holder: '' };

/** Requests permits from Redis. An attempt whose answer was lost is repeated under the same call id, or undone. */
export class PermitsAttempt implements Attempt<PermitsTerms, PermitsGrant> {
  readonly #calls: RecordedCalls;
  #callId: string;
  #permits = 0;
  #ambiguousFailure: RedisFailure | undefined;
  /** What may still answer the last request. */
  #late: LateAnswer<PermitsReply> | undefined;
  /** Whether a request before the last one may still be granted, whatever the answer to the last one. */
  #isEarlierLost = false;

  constructor(
    private readonly context: Pick<
      LockContext,
      'backgroundRelease' | 'counters' | 'ids' | 'notices' | 'settings' | 'wheel'
    >,
    private readonly target: CounterTarget,
  ) {
    this.#calls = new RecordedCalls(context, target);
    this.#callId = context.ids.next();
  }

  request(terms: PermitsTerms, conclude: (outcome: AttemptOutcome<PermitsGrant>) => void): void {
    void this.make(terms).then(conclude);
  }

  async make({ permits, least }: PermitsTerms): Promise<AttemptOutcome<PermitsGrant>> {
    // A record in Redis answers for the permits that its call requested.
    if (permits !== this.#permits) this.undo();
    this.#permits = permits;
    try {
      const reply = (this.#late && (await this.#takeLate(this.#late))) ?? (await this.#send(permits));
      if (reply.kind === 'granted') {
        this.#calls.forget(this.#callId, this.#ambiguousFailure !== undefined);
        this.#nextCall();
        return { kind: 'granted', permits, left: reply.permits };
      }
      this.undo();
      if (reply.kind === 'undone') return new RedisFailure('refused', 'this call was not undone');
      return reply.permits >= least && least < permits ? await this.make({ permits: least, least }) : NONE;
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.kind === 'ambiguous') {
        this.#isEarlierLost = this.#ambiguousFailure !== undefined;
        this.#ambiguousFailure = failure;
      }
      if (failure.isNotReplicated) this.undo();
      return failure;
    }
  }

  undo(): void {
    const { key } = this.target;
    const callId = this.#callId;
    const failure = this.#ambiguousFailure;
    if (failure === undefined) return;
    const late = this.#isEarlierLost ? undefined : this.#late?.then(ifNothing);
    this.#calls.undo(() => this.context.counters.semaphore.undo(key, callId), { failure, late });
    this.#nextCall();
  }

  /** The request before this one was settled meanwhile: its grant is as good as a new one. */
  async #takeLate(late: LateAnswer<PermitsReply>): Promise<PermitsReply | undefined> {
    this.#late = undefined;
    const answer = await late;
    return 'reply' in answer && answer.reply.kind === 'granted' ? answer.reply : undefined;
  }

  #send(permits: number): Promise<PermitsReply> {
    const { semaphore } = this.context.counters;
    return promised<PermitsReply>(
      (callback) => semaphore.acquire(this.target.key, this.#callId, permits, callback),
      (late) => {
        this.#late = late;
      },
    );
  }

  #nextCall(): void {
    this.#ambiguousFailure = undefined;
    this.#late = undefined;
    this.#callId = this.context.ids.next();
  }
}

/** The answer to an undo, where a late refusal makes it superfluous. */
function ifNothing(answer: Awaited<LateAnswer<PermitsReply>>): { readonly reply: 'gone' } | undefined {
  return 'reply' in answer && answer.reply.kind === 'busy' ? { reply: 'gone' } : undefined;
}
