import { RedisFailure } from '../redis/redis.failure.js';
import type { AddReply, Addition, Announced, UndoReply } from '../scripts/semaphore.scripts.js';
import type { WaitRequest } from '../waiters/waiter.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { WakeSource } from '../acquire/acquire.contract.js';
import { ChannelWakeSource, UNSUBSCRIBED_SLEEP } from '../acquire/channel.wake.source.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { ProcessFairness } from '../local/process.fairness.js';
import type { QueuePlace } from '../process-queue/queue.place.js';
import { isToWatch } from '../replies/queue.replies.js';
import type { Busy } from '../replies/lock.replies.js';
import type { LateAnswer, ReplyCallback } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import { unavailable } from '../core/unavailable.errors.js';
import {
  PermitsAttempt,
  type PermitsGrant,
  type PermitsQueue,
  type PermitsTerms,
} from './permits.attempt.js';
import { RecordedCalls } from './recorded.calls.js';
import { LocalCounter } from './local.counter.js';

/** A caller that waits for permits. */
export interface PermitsRequest extends WaitRequest {
  readonly permits: number;
}

/** How long others that listen go first after a release that was left to them, in ms. */
const YIELD_PAUSE = 5;

/** The payload of its messages is the number of available permits. */
const wakes = (payload: string) => Number(payload) > 0;

/**
 * A semaphore as this process sees it: its waiters. One attempt requests permits for the first waiter, and for as many others as seem to
 * fit. Between processes, waiters have a queue in Redis.
 */
export class LocalSemaphore extends LocalCounter<PermitsTerms, PermitsGrant, PermitsRequest> {
  /** Undefined until a caller waits. */
  protected loop: AcquireLoop<PermitsTerms, PermitsGrant> | undefined;
  /** The place of this process in the queue of the semaphore. */
  #place: QueuePlace | undefined;
  readonly #calls: RecordedCalls;
  #existingFairness: ProcessFairness | undefined;
  #isRequesting = false;
  /** The permits that were left after the last grant. */
  #left = 0;
  /** The permits that the first waiter needed at the last request. */
  #least = 0;

  /** What an attempt without a place of its own needs: it looks after those that it notifies. */
  readonly #alone: PermitsQueue = {
    undo: async (call) => {
      const reply = await this.registry.context.counters.semaphore.undo(this.target.key, call);
      if (reply.kind === 'returned') this.#watchCalled(reply);
      return reply;
    },
    onCalled: (called) => this.#watchCalled({ called, reached: 0 }),
  };

  constructor(registry: LocalLockOwner<LocalSemaphore>, target: CounterTarget) {
    super(registry, target);
    this.#calls = new RecordedCalls(registry.context, target);
    this.#place = registry.places?.byLock.get(target.id);
  }

  /** Whether a caller waits, or a request is under way. */
  get isWaitedFor(): boolean {
    return this.hasWaiters || this.#isRequesting;
  }

  /** Requests permits once. @returns whether they were granted */
  try(permits: number): Promise<boolean> {
    return this.waiters.during(async () => {
      const attempt = new PermitsAttempt(this.registry.context, this.target, this.#alone);
      const outcome = await attempt.make({ permits, least: permits, waits: false });
      attempt.undo();
      if (outcome instanceof RedisFailure) throw unavailable(this.target.name, outcome);
      return outcome.kind === 'granted';
    });
  }

  /** Adds permits, whichever caller had them. @param what the call, for the log */
  add(what: string, change: number, how?: Pick<Addition, 'where'>): Promise<AddReply> {
    const { notices } = this.registry.context;
    return this.waiters.during(async () => {
      // A process that listens receives its own message, too.
      const own = this.loop?.isListening === true ? 1 : 0;
      const messagesBefore = this.loop?.messages ?? 0;
      const reply = await this.#calls.retry<AddReply>(what, (call, callback) =>
        this.#sendAddition(call, { change, ...how }, callback),
      );
      if (reply.kind === 'added' && reply.reached === -1)
        notices.post({ kind: 'unpublished', lock: this.target.name, channel: this.target.channel });
      if (reply.kind === 'added') this.#letGoFirst(reply, own, messagesBefore);
      if (this.hasWaiters) this.wakeLoop();
      return reply;
    });
  }

  /** Creates the semaphore. @param ttl its life in ms; 0 for no end. @returns whether there was none */
  make(permits: number, ttl: number): Promise<boolean> {
    const { semaphore } = this.registry.context.counters;
    const { key: name } = this.target;
    return this.waiters.during(async () => {
      const made = await this.#calls.once((call) =>
        semaphore.trySet({ name, call, permits, ttl, expires: false }),
      );
      if (made !== undefined) this.#watchCalled(made);
      return made !== undefined;
    });
  }

  /** Makes a call without an answer have no effect: an acquisition, or a drain. */
  undo(call: string): Promise<UndoReply> {
    return this.waiters.during(() => this.#alone.undo(call));
  }

  /** Gives back permits that a call of this process was granted: not to a semaphore that is gone, which would have these permits alone. */
  giveBack(permits: number): Promise<AddReply> {
    return this.add('release', permits, { where: 'existing' });
  }

  /** Gives back permits whose caller no longer waits; a failure is logged. */
  giveBackLate(permits: number): void {
    void this.giveBack(permits).catch(() => undefined);
  }

  override begin(): void {
    this.#isRequesting = true;
    super.begin();
  }

  override end(): void {
    this.#isRequesting = false;
    // A late answer may have opened it for a local semaphore that is forgotten.
    if (!this.hasWaiters) this.registry.places?.byLock.get(this.target.id)?.rest();
    super.end();
  }

  override onLeave(): void {
    super.onLeave();
    const permits = this.waiters.first?.request.permits ?? this.#least;
    // A place is for so many permits, and no more.
    if (permits < this.#least || (permits > this.#least && this.#place !== undefined)) this.wakeLoop();
  }

  next(): PermitsTerms | undefined {
    const { first } = this.waiters;
    if (first === undefined) return undefined;
    const least = (this.#least = first.request.permits);
    let permits = least;
    for (let waiter = first.next; waiter !== undefined; waiter = waiter.next) {
      if (permits + waiter.request.permits > this.#left) break;
      permits += waiter.request.permits;
    }
    this.#left = 0;
    return { permits, least, waits: true };
  }

  granted({ permits, left }: PermitsGrant): void {
    const { queue } = this.waiters;
    this.waiters.wasGranted();
    this.#existingFairness?.granted();
    this.#left = left;
    let rest = permits;
    for (let { first } = queue; first !== undefined; { first } = queue) {
      if (first.request.permits > rest) break;
      rest -= first.request.permits;
      queue.remove(first);
      first.resolve();
    }
    if (rest > 0) this.giveBackLate(rest);
    this.stopIfUnneeded();
  }

  override notGranted(outcome: Busy | RedisFailure): void {
    if (outcome.kind === 'busy') this.#existingFairness?.otherAcquired();
    super.notGranted(outcome);
  }

  /** This process has no place in the queue any more, nor a waiter. */
  leftQueue(place: QueuePlace): void {
    if (this.#place !== place) return;
    this.#place = undefined;
    this.loop = undefined;
  }

  protected wakeLoop(): void {
    this.loop ??= this.#newLoop();
    const currentYield = this.#existingFairness?.currentYield;
    if (currentYield === undefined) this.loop.wake();
    else this.loop.wakeAfterYield(currentYield);
  }

  #newLoop(): AcquireLoop<PermitsTerms, PermitsGrant> {
    const { context } = this.registry;
    const current = () => this.#place;
    const queue = {
      ...this.#alone,
      get place() {
        return current();
      },
    };
    const attempt = new PermitsAttempt(context, this.target, queue);
    return new AcquireLoop(context, this, attempt, this.#wakeSource());
  }

  /** Its place in the queue, which it opens when it has to sleep: most permits are granted at once. */
  #wakeSource(): WakeSource {
    const { context } = this.registry;
    const { watchdogTimeout: longestSleep } = context.settings;
    if (context.counters.semaphoreQueue === undefined)
      return new ChannelWakeSource(context, { name: this.target.channel, longestSleep, wakes });
    return {
      isListening: false,
      sleep: (busy, sleeper) => this.#openPlace()?.sleep(busy, sleeper) ?? sleeper.sleep(UNSUBSCRIBED_SLEEP),
      stop: () => this.#place?.stop(),
    };
  }

  #sendAddition(call: string, addition: Addition, callback: ReplyCallback<AddReply>): void {
    const watch = (reply: AddReply) => {
      if (reply.kind === 'added') this.#watchCalled(reply);
    };
    const answered = (reply: AddReply) => {
      watch(reply);
      callback.answered(reply);
    };
    const failed = (error: unknown, late?: LateAnswer<AddReply>) => {
      void late?.then((answer) => ('reply' in answer ? watch(answer.reply) : undefined));
      callback.failed(error, late);
    };
    this.registry.context.counters.semaphore.add(this.target.key, call, addition, { answered, failed });
  }

  /** The place of this process; undefined after the shutdown. */
  #openPlace(): QueuePlace | undefined {
    const { context, places } = this.registry;
    const { id, key, channel } = this.target;
    const kind = { form: 'shared', wakes, queue: context.counters.semaphoreQueue } as const;
    // This local semaphore may be forgotten by now, and its place over.
    return (this.#place = places?.open({ id, key, channel, kind }));
  }

  /** Looks after the process that was notified of its turn. */
  #watchCalled({ called, reached }: Pick<Announced, 'called' | 'reached'>): void {
    if (called !== undefined && isToWatch(called, reached)) this.#openPlace()?.watch(called);
  }

  /** A caller that comes back at once must not make requests before the process whose turn it is has come, or the others have had theirs. */
  #letGoFirst({ called, reached }: Announced, own: number, messagesBefore: number): void {
    const { context } = this.registry;
    // It may be its own turn: it waits while it has others.
    if (this.#place?.isUnreachable === true || called?.startsWith(`${context.ids.client}:`) === true) return;
    const isTurn = called !== undefined && called !== '';
    // Without a queue each process is notified. Where only some of them are counted, none is known.
    const isCountKnown = !context.isCluster || context.countsAllReceivers;
    const others = called !== undefined ? reached : isCountKnown ? reached - own : 0;
    if (!isTurn && others <= 0) return;
    const fairness = (this.#existingFairness ??= new ProcessFairness(context.settings));
    const pause = isTurn ? fairness.pauseAfter(true) : YIELD_PAUSE;
    const untilMessage = messagesBefore + own + Math.max(others, 1);
    fairness.yieldTo({ until: now() + pause, pause, untilMessage, isTurn });
    // The local semaphore is kept for that time, for callers that come back.
    void this.waiters.during(() => context.wheel.pause(pause));
  }
}
