import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Attempt, AttemptOutcome } from '../acquire/acquire.contract.js';
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
      const reply = await this.context.counters.semaphore.acquire(this.target.key, this.#callId, permits);
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
      if (failure.kind === 'ambiguous') this.#ambiguousFailure = failure;
      if (failure.isNotReplicated) this.undo();
      return failure;
    }
  }

  undo(): void {
    const { key } = this.target;
    const callId = this.#callId;
    if (this.#ambiguousFailure === undefined) return;
    this.#calls.undo(() => this.context.counters.semaphore.undo(key, callId), this.#ambiguousFailure);
    this.#nextCall();
  }

  #nextCall(): void {
    this.#ambiguousFailure = undefined;
    this.#callId = this.context.ids.next();
  }
}
