import { RedisFailure } from '../redis/redis.failure.js';
import type { AddReply, Addition } from '../scripts/semaphore.scripts.js';
import type { WaitRequest } from '../waiters/waiter.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import { ChannelWakeSource } from '../acquire/channel.wake.source.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { unavailable } from '../core/unavailable.errors.js';
import { PermitsAttempt, type PermitsGrant, type PermitsTerms } from './permits.attempt.js';
import { RecordedCalls } from './recorded.calls.js';
import { LocalCounter } from './local.counter.js';

/** A caller that waits for permits. */
export interface PermitsRequest extends WaitRequest {
  readonly permits: number;
}

/**
 * A semaphore as this process sees it: its waiters. One attempt requests permits for the first waiter, and for as many others as seem to
 * fit.
 */
export class LocalSemaphore extends LocalCounter<PermitsTerms, PermitsGrant, PermitsRequest> {
  protected readonly loop: AcquireLoop<PermitsTerms, PermitsGrant>;
  readonly #calls: RecordedCalls;
  /** The permits that were left after the last grant. */
  #left = 0;
  /** The permits that the first waiter needed at the last request. */
  #least = 0;

  constructor(registry: LocalLockOwner<LocalSemaphore>, target: CounterTarget) {
    super(registry, target);
    const { context } = registry;
    this.#calls = new RecordedCalls(context, target);
    const source = new ChannelWakeSource(context, {
      name: target.channel,
      longestSleep: context.settings.watchdogTimeout,
      // The payload of its messages is the number of available permits.
      wakes: (payload) => Number(payload) > 0,
    });
    this.loop = new AcquireLoop(context, this, new PermitsAttempt(context, target), source);
  }

  /** Requests permits once. @returns whether they were granted */
  try(permits: number): Promise<boolean> {
    return this.waiters.during(async () => {
      const attempt = new PermitsAttempt(this.registry.context, this.target);
      const outcome = await attempt.make({ permits, least: permits });
      attempt.undo();
      if (outcome instanceof RedisFailure) throw unavailable(this.target.name, outcome);
      return outcome.kind === 'granted';
    });
  }

  /** Adds permits, whichever caller had them. @param what the call, for the log */
  add(what: string, change: number, how?: Pick<Addition, 'where'>): Promise<AddReply> {
    const { notices, counters } = this.registry.context;
    return this.waiters.during(async () => {
      const reply = await this.#calls.retry<AddReply>(what, (call, callback) =>
        counters.semaphore.add(this.target.key, call, { change, ...how }, callback),
      );
      if (reply.kind === 'added' && reply.reached === -1)
        notices.post({ kind: 'unpublished', lock: this.target.name, channel: this.target.channel });
      if (this.hasWaiters) this.loop.wake();
      return reply;
    });
  }

  /** Gives back permits that a call of this process was granted: not to a semaphore that is gone, which would have these permits alone. */
  giveBack(permits: number): Promise<AddReply> {
    return this.add('release', permits, { where: 'existing' });
  }

  /** Gives back permits whose caller no longer waits; a failure is logged. */
  giveBackLate(permits: number): void {
    void this.giveBack(permits).catch(() => undefined);
  }

  override onLeave(): void {
    super.onLeave();
    if ((this.waiters.first?.request.permits ?? Infinity) < this.#least) this.loop.wake();
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
    return { permits, least };
  }

  granted({ permits, left }: PermitsGrant): void {
    const { queue } = this.waiters;
    this.waiters.wasGranted();
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
}
