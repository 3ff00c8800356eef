import { RedisFailure } from '../redis/redis.failure.js';
import { LONGEST } from '../options/option.checks.js';
import { UNSUBSCRIBED_SLEEP } from '../acquire/channel.wake.source.js';
import type { Sleeper, WaitingPlace, WakeSource } from '../acquire/acquire.contract.js';
import type { LockContext } from '../core/lock.context.js';
import type { QueueTarget } from '../core/lock.target.js';
import type { Subscription } from '../redis/channel.subscriptions.js';
import type { Busy } from '../replies/lock.replies.js';
import type { PassReply, PassScripts, PassTerms, Placed, WaitTerms } from '../replies/queue.replies.js';
import { SHORT_LEASE } from '../scripts/process-queue.scripts.js';
import { promisedLate } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import { CallGuard } from './call.guard.js';
import { afterLease } from './lease.end.js';
import { LingerTimer, type LingerOwner } from './linger.timer.js';
import { ANNOUNCED, QueueListener, type ListenerOwner } from './queue.listener.js';

/** Between two checks whether a guard has done its work, at a shutdown, in ms. */
const SETTLING = 10;

/** Between two requests at least, of a waiter that was not notified of its turn, in ms. */
const SHORTEST = 3000;

/** How long the queue outlives the last call of its waiters, in multiples of `lockWatchdogTimeout`. */
const LIFE = 3;

/** What a place needs of the locks of its module instance. */
export interface PlaceOwner {
  readonly context: Pick<LockContext, 'ids' | 'settings' | 'subscriptions' | 'wheel'>;
  /** Whether this process holds the lock. */
  isHeld(id: string): boolean;
  /** Whether a caller of this process acquires the lock or waits for it, or work on it is under way: its loop may run. */
  isWaitedFor(id: string): boolean;
  /** The place is given up. */
  ended(place: QueuePlace): void;
  /** The place is given up, but Redis could not be told that its process does not listen any more. */
  stayed(place: QueuePlace): void;
}

/**
 * This process in the queue of one lock. It has a channel of its own, on which it is notified of its turn; a release notifies one
 * process, and only the two listeners listen to the lock's channel.
 */
export class QueuePlace implements WakeSource, WaitingPlace, ListenerOwner, LingerOwner {
  /** Always false, so that no release of this process counts as one that will wake it. For the lock's channel see `listens`. */
  readonly isListening = false;
  readonly context: PlaceOwner['context'];
  readonly #channel: string;
  readonly #listener: QueueListener;
  readonly #guard: CallGuard;
  readonly #lingering: LingerTimer;
  #subscription: Subscription | undefined;
  /** The loop that waits; undefined while none does. */
  #sleeper: Sleeper | undefined;
  /** The place of the attempt that waits in the queue, or did; undefined without one. */
  #place: string | undefined;
  #ticket = 0;
  /** Whether the last request was made because it was its turn. */
  #wasCalled = false;
  #isCalled = false;
  /** Whether a pass is under way, and another one has to follow, with its terms. */
  #isPassing = false;
  #next: PassTerms | undefined;
  /** Whether Redis refused to store a place. */
  #isRefused = false;
  #hasEnded = false;

  constructor(
    private readonly owner: PlaceOwner,
    readonly target: QueueTarget,
    private readonly scripts: PassScripts,
  ) {
    this.context = owner.context;
    const { wheel } = this.context;
    this.#channel = target.channel;
    this.#listener = new QueueListener(this, this.#channel, target.kind);
    this.#guard = new CallGuard(wheel, (absent) => this.#pass({ absent }));
    this.#lingering = new LingerTimer(wheel, this);
  }

  get isWaitedFor(): boolean {
    return this.owner.isWaitedFor(this.target.id);
  }

  /** Whether this process listens to the lock's channel. */
  get listens(): boolean {
    return this.#listener.listens;
  }

  /** Whether a caller of this process waits, or a request of one is under way. */
  get isWaiting(): boolean {
    return this.#sleeper !== undefined || this.#place !== undefined;
  }

  /** Whether it looks after a process that was notified of its turn. */
  get isGuarding(): boolean {
    return this.#guard.isSet || this.#isPassing;
  }

  get isUnreachable(): boolean {
    return this.#subscription?.isActive === false;
  }

  beginRequest(holder: string): WaitTerms | undefined {
    if (this.#subscription?.isActive !== true) return undefined;
    const place = this.scripts.placeOf(holder);
    if (place !== this.#place) this.#ticket = 0;
    this.#place = place;
    [this.#wasCalled, this.#isCalled] = [this.#isCalled, false];
    this.#guard.request();
    if (this.listens) this.expectListed();
    const life = Math.min(LIFE * this.context.settings.watchdogTimeout, LONGEST);
    return { ticket: this.#ticket, listens: this.listens, life, soon: ANNOUNCED };
  }

  wasGranted(isListener?: boolean, called?: string): void {
    this.#forget();
    // Of many holders, its own grant says nothing of the process that was notified before.
    if (called !== undefined) this.watch(called);
    else if (this.target.kind.form !== 'shared') this.#guard.stop();
    this.#listener.granted(isListener);
  }

  /** Redis may list this process as a listener: it has to leave in the end. */
  expectListed(): void {
    this.#listener.mayBeListed = true;
  }

  wasPlaced(reply: Placed): void {
    this.#lingering.contended();
    this.#ticket = reply.ticket;
    this.#isRefused = reply.ticket === 0;
    if (this.#isRefused) return;
    this.#listener.learned(reply);
    this.#onHolder(reply.first, this.#guard.requestRound);
  }

  /** Subscribes its channels, all at once, when the loop sleeps for the first time. */
  async sleep({ ttl }: Busy, sleeper: Sleeper): Promise<void> {
    this.#sleeper = sleeper;
    const subscription = (this.#subscription ??= this.#subscribe());
    if (!subscription.isActive || this.#isRefused)
      await sleeper.sleep(ttl < 0 ? UNSUBSCRIBED_SLEEP : Math.min(afterLease(ttl), UNSUBSCRIBED_SLEEP));
    // Without a ticket it has no place: the answer is that of a first request, and the loop asks at once.
    else if (this.#ticket > 0 && !this.#isCalled) await sleeper.sleep(this.#longest(ttl));
  }

  stop(): void {
    this.#sleeper = undefined;
    this.#forget();
  }

  /** A release of this process has notified `place`; empty where others go first. */
  watch(place: string): void {
    this.#lingering.passed();
    this.#guard.watch(place);
  }

  /** This process neither waits for the lock nor holds it, for now. */
  rest(): void {
    this.#lingering.rest();
  }

  /** Resolves when it looks after no process any more, or when `longest` ms are over. */
  async guardEnd(longest: number): Promise<void> {
    for (const end = now() + longest; this.isGuarding && now() < end;)
      await this.context.wheel.pause(SETTLING);
  }

  passOn(yields: boolean): void {
    this.#pass({ yields, lease: yields ? 0 : SHORT_LEASE });
  }

  onListening(): void {
    this.#sleeper?.endSleep();
  }

  /** Leaves the queue, and stops listening. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#guard.stop();
    this.#lingering.end();
    this.owner.ended(this);
    // First: a listener that is counted and does not listen would hide another listener.
    await this.leave();
    this.#listener.end();
    this.#subscription?.release();
  }

  /** Is no listener of the queue any more. A listener that stays listed keeps the queue in Redis for its {@link LIFE}. */
  async leave(): Promise<void> {
    if (!this.#listener.mayBeListed) return;
    const reply = await this.#ask({ leaving: `listener:${this.context.ids.client}` });
    if (reply instanceof RedisFailure && reply.isTransient) this.owner.stayed(this);
  }

  /** @param first the place whose turn it is, if its process has not come yet; undefined where another one holds the lock @param round of the guard, when that was asked */
  #onHolder(first: string | undefined, round: number): void {
    if (first === undefined) this.#guard.stop(round);
    else if (!this.#guard.isSet) this.#guard.watch(first);
  }

  /** The process has no place any more. */
  #forget(): void {
    this.#place = undefined;
    this.#ticket = 0;
    this.#isCalled = false;
  }

  /**
   * The longest sleep of a waiter that will be notified of its turn, in ms: until shortly after the lease that it knows, but for 3 s at least,
   * because the two listeners act at the end of that lease, too. The minimum does not hold if it was its turn, and another holder came first.
   */
  #longest(ttl: number): number {
    const { watchdogTimeout } = this.context.settings;
    const longest = Math.min(this.target.kind.longestSleep ?? Infinity, watchdogTimeout);
    return ttl < 0 ? longest : Math.min(Math.max(afterLease(ttl), this.#wasCalled ? 0 : SHORTEST), longest);
  }

  #subscribe(): Subscription {
    const wake = () => this.#sleeper?.endSleep();
    const { ids, subscriptions } = this.context;
    const name = `${this.#channel}:${ids.client}`;
    const subscription = subscriptions.subscribe(name, (payload) => this.#onMessage(payload), wake);
    void Promise.all([subscription.acknowledged, this.#listener.listen()]).then(wake);
    return subscription;
  }

  #onMessage(payload: string | undefined): void {
    if (this.#hasEnded) return;
    const [what, number = ''] = payload?.split(' ') ?? [];
    if (what === undefined) this.#onGap();
    else if (what === 'come') this.#onCalled(`${this.context.ids.client}:${number}`);
    else if (what === 'ends') this.#listener.onAnnouncedLease(Number(number));
    else if (what === 'listen' && this.isWaiting) this.#listener.begin();
  }

  /** Messages may have been missed: the waiter asks, whatever the answer to a request that is under way. */
  #onGap(): void {
    this.#isCalled ||= this.#place !== undefined;
    this.#sleeper?.onMessage(undefined);
  }

  #onCalled(calledPlace: string): void {
    if (calledPlace === this.#place) {
      // The answer that gave it the place may still be under way.
      this.#isCalled = true;
      this.#sleeper?.onTurn();
    } else if (this.scripts.leavingFreesNothing || !this.owner.isHeld(this.target.id))
      this.#pass({ leaving: calledPlace });
  }

  #pass(terms: PassTerms): void {
    if (terms.leaving !== undefined) void this.#send(terms);
    else if (this.#isPassing) this.#next = { ...this.#next, ...terms };
    else void this.#passInTurn(terms);
  }

  /** One pass at a time. One that is wanted meanwhile is sent after it: its release may have come after the answer was made. */
  async #passInTurn(first: PassTerms): Promise<void> {
    this.#isPassing = true;
    for (let terms: PassTerms | undefined = first; terms !== undefined && !this.#hasEnded;) {
      await this.#send(terms);
      terms = this.#next;
      this.#next = undefined;
    }
    this.#isPassing = false;
  }

  async #ask(terms: PassTerms): Promise<PassReply | RedisFailure> {
    const command = { key: this.target.key, channel: this.#channel, ...terms };
    // An answer that is late counts as well: only one that was lost is asked for again.
    return await promisedLate<PassReply>((callback) => this.scripts.pass(command, callback)).catch(
      (error: unknown) => RedisFailure.from(error),
    );
  }

  async #send(terms: PassTerms): Promise<void> {
    const { round } = this.#guard;
    const reply = await this.#ask(terms);
    if (this.#hasEnded) return;
    if (reply instanceof RedisFailure) {
      // The process whose turn it is may not have been notified.
      if (reply.isTransient) this.#guard.tryAgain(terms.absent ?? '');
      return;
    }
    // It had a place, and Redis has lost it.
    if (reply.kind === 'none' && this.#ticket > 0) this.#sleeper?.endSleep();
    if (reply.kind === 'called') {
      this.#listener.called();
      this.#guard.watch(reply.place);
    } else if (reply.kind === 'theirs') this.#listener.yieldTurn();
    else if (reply.kind === 'busy') {
      if (reply.first !== undefined) this.#listener.called();
      this.#onHolder(reply.first, round);
      if (this.#listener.isListed) this.#listener.checkAfter(reply.ttl, reply.places);
    }
  }
}
