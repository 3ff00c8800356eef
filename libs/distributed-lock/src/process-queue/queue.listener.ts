import type { LockContext } from '../core/lock.context.js';
import type { LockKind } from '../core/lock.kind.js';
import type { Subscription } from '../redis/channel.subscriptions.js';
import type { Placed } from '../replies/queue.replies.js';
import { isRelease, LAST_READER } from '../scripts/lock.messages.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { afterLease, LATEST } from './lease.end.js';

/** When a listener checks by itself, in ms. */
const CHECK = {
  /** While several processes have a place. */
  crowded: 3000,
  /** At a lock without a ttl. */
  withoutTtl: 1000,
};

/** The leases that are announced to listeners, in ms: those that may end before a listener checks. */
export const ANNOUNCED = CHECK.crowded + LATEST;

/**
 * The turn of others: it ends when the lock is free for `idle` ms, after `longest` ms, which at a read/write lock begin anew with the first release
 * of a last reader, or after so many of their releases.
 */
const TURN = { idle: 5, longest: 15, releases: 16 };

/** What a listener needs of the place that it belongs to. */
export interface ListenerOwner {
  readonly context: Pick<LockContext, 'settings' | 'subscriptions' | 'wheel'>;
  /** Notifies the process whose turn it is. @param yields whether others may go first */
  passOn(yields: boolean): void;
  /** The subscription has begun, or was lost: the waiter is to ask. */
  onListening(): void;
}

/**
 * Listens to the channel of a lock for all processes that have a place: no other one notices what Java, older versions and forced unlocks
 * free, and a lease that ends. Others that listen to the channel go first for a moment: they cannot be notified one by one.
 */
export class QueueListener {
  /** Whether the queue knows it as a listener. */
  isListed = false;
  /** Whether Redis may list it: the answer that would say so may have been lost. */
  mayBeListed = false;
  /** Whether something was received that a listener acts on: the answer that made it one may still be under way. */
  #hasMissed = false;
  #subscription: Subscription | undefined;
  readonly #check: Timer;
  /** Of the check, on the monotonic clock. */
  #due = Infinity;
  readonly #idle: Timer;
  /** Of the turn of others: when it began, on the monotonic clock, and their releases since; undefined while there is none. */
  #turn: { since: number; releases: number } | undefined;
  /** They had their turn, and it is not their next one before a process of the queue was notified; at a read/write lock before one more release. */
  #isOver = false;
  /** Whether the last release was that of a last reader. */
  #wasRead = false;

  constructor(
    private readonly owner: ListenerOwner,
    private readonly channel: string,
    private readonly kind: Pick<LockKind, 'form' | 'side' | 'wakes'>,
  ) {
    const { wheel } = owner.context;
    this.#check = wheel.background(() => this.#onCheck());
    this.#idle = wheel.background(() => this.#endTurn());
  }

  /** Whether releases arrive. */
  get listens(): boolean {
    return this.#subscription?.isActive === true;
  }

  /** Subscribes the channel. Resolves when Redis has acknowledged it, or refused. */
  async listen(): Promise<void> {
    this.#subscription ??= this.owner.context.subscriptions.subscribe(
      this.channel,
      (payload) => this.#onMessage(payload),
      () => this.owner.onListening(),
    );
    await this.#subscription.acknowledged;
  }

  /** Listens from now on. Not where Redis refuses it: then nothing is to be requested again. */
  begin(): void {
    void this.listen().then(() => {
      if (this.listens) this.owner.onListening();
    });
  }

  /** The answer to a waiter of this process says whether it is a listener. */
  learned({
    isListener,
    isListenerMissing,
    ttl,
    places,
  }: Pick<Placed, 'isListener' | 'isListenerMissing' | 'ttl' | 'places'>): void {
    this.isListed = isListener;
    this.mayBeListed = isListener;
    if (isListener) this.#begun(ttl, places);
    else if (!isListenerMissing) this.end();
    else if (!this.listens) this.begin();
  }

  /** This process has the lock. @param isListener undefined if the answer does not say it */
  granted(isListener?: boolean): void {
    // One that listens and is not listed would be counted among the others, and have turns.
    if (isListener === undefined && !this.isListed) this.end();
    else if (isListener === false || (isListener && !this.isListed))
      this.learned({ isListener, isListenerMissing: false, ttl: Infinity, places: 2 });
  }

  /** Checks when the lease of a holder is over, or earlier. @param ttl of the holder, in ms @param places in the queue */
  checkAfter(ttl: number, places: number): void {
    const longest = places > 1 ? CHECK.crowded : this.owner.context.settings.watchdogTimeout;
    const end = ttl === -1 ? CHECK.withoutTtl : longest;
    this.#checkIn(Math.min(longest, ttl < 0 ? end : afterLease(ttl)));
  }

  /** A lease has begun that ends in `ttl` ms. */
  onAnnouncedLease(ttl: number): void {
    if (!this.isListed) this.#hasMissed = true;
    // With many holders an earlier lease may end before.
    else if (this.kind.form !== 'shared' || !(this.#due <= now() + ttl)) this.#checkIn(afterLease(ttl));
  }

  /** Others go first, now. */
  yieldTurn(): void {
    this.#turn ??= { since: now(), releases: 0 };
    this.#idleAgain(this.#turn);
  }

  /** A process of the queue was notified. */
  called(): void {
    this.#isOver = false;
    this.#wasRead = false;
  }

  /** Stops to listen. */
  end(): void {
    const { wheel } = this.owner.context;
    wheel.cancel(this.#check);
    wheel.cancel(this.#idle);
    this.#turn = undefined;
    this.#hasMissed = false;
    this.#subscription?.release();
    this.#subscription = undefined;
  }

  #begun(ttl: number, places: number): void {
    this.checkAfter(ttl, places);
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    if (hasMissed) this.#onRelease();
  }

  #checkIn(delay: number): void {
    this.#due = now() + delay;
    this.owner.context.wheel.set(this.#check, this.#due);
  }

  #onCheck(): void {
    this.#checkIn(CHECK.crowded);
    this.owner.passOn(false);
  }

  #onMessage(payload: string | undefined): void {
    if (payload === undefined) this.owner.onListening();
    else if (!(this.kind.wakes ?? isRelease)(payload)) return;
    else if (this.isListed) this.#onRelease(payload);
    else this.#hasMissed = true;
  }

  #onRelease(payload?: string): void {
    const turn = this.#turn;
    // Our script has decided whether writers without a place have this turn, apart from their turns with the readers. It leaves them no two
    // such releases in a row: then they are of Java's readers, who do not keep out of the way of a writer that waits.
    const isRead = this.kind.side !== undefined && payload === LAST_READER;
    const begins = isRead && !this.#wasRead;
    this.#wasRead = isRead;
    if (turn === undefined) {
      const yields = !this.#isOver || begins;
      // Readers, and the writers between them, have turns that no answer tells this listener of.
      if (this.kind.side !== undefined) this.#isOver = false;
      return this.owner.passOn(yields);
    }
    turn.releases += 1;
    if (begins) turn.since = now();
    if (turn.releases < TURN.releases) this.#idleAgain(turn);
    else this.#endTurn();
  }

  #idleAgain({ since }: { readonly since: number }): void {
    this.owner.context.wheel.set(this.#idle, Math.min(now() + TURN.idle, since + TURN.longest));
  }

  #endTurn(): void {
    this.#turn = undefined;
    this.#isOver = true;
    this.owner.context.wheel.cancel(this.#idle);
    this.owner.passOn(false);
  }
}
