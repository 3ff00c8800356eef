import { RedisFailure } from '../redis/redis.failure.js';
import { promised, promisedLate, type LateAnswer, type ReplyCallback } from '../replies/reply.callback.js';
import type { PassReply } from '../replies/queue.replies.js';
import type { Attempt, AttemptOutcome, WaitingPlace } from '../acquire/acquire.contract.js';
import { CALL_LIFE } from '../scripts/call.scripts.js';
import { NO_LEASE, placeOfCall, type PermitsWaitReply } from '../scripts/semaphore-queue.scripts.js';
import type { PermitsReply, UndoReply } from '../scripts/semaphore.scripts.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LockContext } from '../core/lock.context.js';
import { RecordedCalls } from './recorded.calls.js';

/** The requested number of permits. */
export interface PermitsTerms {
  readonly permits: number;
  /** The number that is requested when `permits` are not available: fewer, for the first waiter alone. */
  readonly least: number;
  /** Whether the caller is ready to wait: then it takes no permits before the processes that have a place in the queue. */
  readonly waits: boolean;
}

/** The permits that Redis granted. */
export interface PermitsGrant {
  readonly kind: 'granted';
  readonly permits: number;
  /** The permits that are still available. */
  readonly left: number;
}

/** The queue that an attempt may wait in. */
export interface PermitsQueue {
  /** The place of this process; undefined while it has not waited yet, and where there is no queue. */
  readonly place?: WaitingPlace | undefined;
  /** Makes a call without an answer have no effect. */
  readonly undo: (call: string) => Promise<UndoReply>;
  /** Receives the place that was notified when another one was given up. */
  readonly onCalled: (place: string) => void;
}

type Reply = PermitsReply | PermitsWaitReply;

/** What a granting reply says; of a request without a place only the permits that are left. */
interface GrantedReply {
  readonly permits: number;
  readonly isListener?: boolean;
  readonly called?: string | undefined;
}

/**
 * Requests permits from Redis. An attempt whose answer was lost is repeated under the same call id, or undone. The call id is also the place
 * in the queue of processes, and is kept until the attempt is undone or granted.
 */
export class PermitsAttempt implements Attempt<PermitsTerms, PermitsGrant> {
  readonly #calls: RecordedCalls;
  /** Undefined until it is needed. */
  #callId: string | undefined;
  /** The number that the call id is for. */
  #permits = 0;
  #ambiguousFailure: RedisFailure | undefined;
  /** What may still answer the last request. */
  #late: LateAnswer<Reply> | undefined;
  /** Whether a request before the last one may still be granted, whatever the answer to the last one. */
  #isEarlierLost = false;
  /** Whether this process may have a place in the queue under the call id. */
  #isPlaced = false;

  constructor(
    private readonly context: Pick<
      LockContext,
      'backgroundRelease' | 'counters' | 'ids' | 'notices' | 'settings' | 'wheel'
    >,
    private readonly target: CounterTarget,
    private readonly queue: PermitsQueue,
  ) {
    this.#calls = new RecordedCalls(context, target);
  }

  request(terms: PermitsTerms, conclude: (outcome: AttemptOutcome<PermitsGrant>) => void): void {
    void this.make(terms).then(conclude);
  }

  async make(terms: PermitsTerms): Promise<AttemptOutcome<PermitsGrant>> {
    const { permits, least } = terms;
    // A record in Redis, and a place, is for the permits that its call requested.
    if (permits !== this.#permits) {
      this.undo();
      this.#nextCall(permits);
    }
    const wasPlaced = this.#isPlaced;
    try {
      const reply = (this.#late && (await this.#takeLate(this.#late))) ?? (await this.#send(terms));
      if (reply.kind === 'granted') return this.#granted(reply);
      if (reply.kind === 'placed') {
        this.queue.place?.wasPlaced(reply.placed);
        return reply.placed;
      }
      // With a place the id is kept: the process asks again with its ticket.
      if (!this.#isPlaced || reply.kind === 'undone') this.undo();
      if (reply.kind === 'undone') return new RedisFailure('refused', 'this call was not undone');
      // The first waiter may have a place, for the permits that it needs itself.
      const isEnough = this.queue.place !== undefined || reply.permits >= least;
      return least < permits && isEnough ? await this.make({ ...terms, permits: least }) : NO_LEASE;
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.kind === 'ambiguous') {
        this.#isEarlierLost = this.#ambiguousFailure !== undefined;
        this.#ambiguousFailure = failure;
      } else this.#isPlaced = wasPlaced;
      if (failure.isNotReplicated) this.undo();
      return failure;
    }
  }

  undo(): void {
    const failure = this.#ambiguousFailure;
    if (failure === undefined && !this.#isPlaced) return;
    const call = this.#call;
    if (failure !== undefined) {
      // A refusal may have left a place.
      const isLasting = this.#isEarlierLost || this.#isPlaced;
      const late = isLasting ? undefined : this.#late?.then(ifNothing);
      this.#calls.undo(() => this.queue.undo(call), { failure, late });
    } else void this.context.backgroundRelease.retry(() => this.#leave(call), CALL_LIFE);
    this.#nextCall();
  }

  get #call(): string {
    return (this.#callId ??= placeOfCall(this.context.ids.next(), this.#permits));
  }

  #granted({ permits: left, isListener, called }: GrantedReply): PermitsGrant {
    this.queue.place?.wasGranted(isListener, called);
    this.#calls.forget(this.#call, this.#ambiguousFailure !== undefined);
    const permits = this.#permits;
    this.#nextCall();
    // What is left is for the process that the grant has notified.
    return { kind: 'granted', permits, left: called === undefined ? left : 0 };
  }

  /** The request before this one was settled meanwhile: its grant is as good as a new one. */
  async #takeLate(late: LateAnswer<Reply>): Promise<Reply | undefined> {
    this.#late = undefined;
    const answer = await late;
    return 'reply' in answer && answer.reply.kind === 'granted' ? answer.reply : undefined;
  }

  #send({ permits, least, waits }: PermitsTerms): Promise<Reply> {
    const { semaphore, semaphoreQueue } = this.context.counters;
    const { key, channel } = this.target;
    const { place } = this.queue;
    const call = this.#call;
    const placeTerms = permits === least ? place?.beginRequest(call) : undefined;
    this.#isPlaced ||= placeTerms !== undefined;
    const send = (callback: ReplyCallback<Reply>) => {
      if (placeTerms !== undefined && semaphoreQueue !== undefined)
        return semaphoreQueue.wait({ key, channel, call, ...placeTerms }, callback);
      // A process that cannot be notified of its turn does not wait for it, but takes permits when there are any.
      const isInTurn = waits && place?.isUnreachable !== true;
      return semaphore.acquire({ name: key, call, permits, waits: isInTurn }, callback);
    };
    return promised<Reply>(send, (late) => {
      this.#late = late;
    });
  }

  /** Gives up the place of a call that is granted nothing any more. */
  async #leave(place: string): Promise<PassReply> {
    const { key, channel } = this.target;
    const reply = await promisedLate<PassReply>((callback) =>
      this.context.counters.semaphoreQueue?.pass({ key, channel, leaving: place }, callback),
    );
    if (reply.kind === 'called') this.queue.onCalled(reply.place);
    return reply;
  }

  /** @param permits that it is for. @default as many as the last one */
  #nextCall(permits = this.#permits): void {
    this.#permits = permits;
    this.#callId = undefined;
    this.#ambiguousFailure = undefined;
    this.#late = undefined;
    this.#isPlaced = false;
  }
}

/** The answer to an undo, where a late refusal makes it superfluous. */
function ifNothing(answer: Awaited<LateAnswer<Reply>>): { readonly reply: 'gone' } | undefined {
  const isRefused = 'reply' in answer && (answer.reply.kind === 'busy' || answer.reply.kind === 'queued');
  return isRefused ? { reply: 'gone' } : undefined;
}
