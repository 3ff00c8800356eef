import type { ReservedChannel } from '../acquire/channel.wake.source.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';
import type { Listener, Subscription } from '../redis/channel.subscriptions.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';

/** How many ids are subscribed together, at most, and how many that are over are unsubscribed together. */
const BATCH = 16;

/** How long a reserve stays after the last caller began to wait, in ms. */
const RESERVE_LIFE = 100;

/** A holder id for a waiter to come. Its channel is subscribed, so its waiter need not ask again once it is. */
export class ReservedId implements ReservedChannel {
  readonly #subscription: Subscription;
  #listener: Listener | undefined;
  /** Messages for its waiter before that listens: a release may be faster than the reply that the lock is busy. */
  #early: (string | undefined)[] = [];
  #isOver = false;

  constructor(
    readonly holder: string,
    channel: string,
    { subscriptions }: Pick<LockContext, 'subscriptions'>,
    private readonly ended: (id: ReservedId) => void,
  ) {
    const receive = (payload: string | undefined) => this.#receive(payload);
    this.#subscription = subscriptions.subscribe(`${channel}:${holder}`, receive, () => receive(undefined));
  }

  get isActive(): boolean {
    return this.#subscription.isActive;
  }

  /** Its waiter is there, and sends its first request. */
  begin(): this {
    this.#early = [];
    return this;
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    for (const payload of this.#early.splice(0)) listener(payload);
  }

  /** Its waiter has left. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener = undefined;
    this.ended(this);
  }

  unsubscribe(): void {
    this.#subscription.release();
  }

  #receive(payload: string | undefined): void {
    if (this.#isOver) return;
    if (this.#listener === undefined) this.#early.push(payload);
    else this.#listener(payload);
  }
}

/**
 * Ids for the next waiters of one lock. Redisson's protocol has a channel for each waiter, and no id is used twice. So without a reserve each
 * wait subscribes a channel, asks again once that is acknowledged, and unsubscribes it.
 */
class IdReserve {
  readonly #unused: ReservedId[] = [];
  #ended: ReservedId[] = [];
  #waits = 0;
  /** Whether a waiter has left: the next ones may be callers that come again, and not only those of one burst. */
  #hasTurned = false;
  /** When the last caller began to wait, on the monotonic clock. */
  #waitedAt = 0;
  #isOpen = true;
  readonly #timer: Timer;

  constructor(
    private readonly context: Pick<LockContext, 'subscriptions' | 'wheel'>,
    private readonly target: LockTarget,
    private readonly closed: () => void,
  ) {
    this.#timer = context.wheel.background(() => this.#onTime());
    context.wheel.set(this.#timer, now() + RESERVE_LIFE);
  }

  get unused(): readonly string[] {
    return this.#unused.map(({ holder }) => holder);
  }

  take(): ReservedId | undefined {
    const index = this.#unused.findIndex(({ isActive }) => isActive);
    return index < 0 ? undefined : this.#unused.splice(index, 1)[0]?.begin();
  }

  noteWait(): void {
    this.#waits += 1;
    this.#waitedAt = now();
    const isShort = this.#unused.length <= BATCH / 4 && this.#unused.every(({ isActive }) => isActive);
    if (this.#hasTurned && isShort) this.#add(Math.min(this.#waits, BATCH));
  }

  noteEnd(): void {
    this.#hasTurned = true;
  }

  #add(count: number): void {
    const { kind, channel } = this.target;
    const ended = (id: ReservedId) => this.#onEnded(id);
    for (let added = 0; added < count; added += 1)
      this.#unused.push(new ReservedId(kind.holderIds.next(), channel, this.context, ended));
  }

  #onEnded(id: ReservedId): void {
    this.#ended.push(id);
    if (!this.#isOpen || this.#ended.length >= BATCH) this.#unsubscribe();
  }

  #onTime(): void {
    const end = this.#waitedAt + RESERVE_LIFE;
    if (now() < end) {
      this.context.wheel.set(this.#timer, end);
      return;
    }
    this.#isOpen = false;
    this.closed();
    for (const id of this.#unused.splice(0)) id.end();
    this.#unsubscribe();
  }

  #unsubscribe(): void {
    for (const id of this.#ended.splice(0)) id.unsubscribe();
  }
}

/** The reserves of a module instance: of the locks that its callers wait for again and again. */
export class IdReserves {
  /** By the id of the lock. */
  readonly #byLock = new Map<string, IdReserve>();

  constructor(private readonly context: Pick<LockContext, 'subscriptions' | 'wheel'>) {}

  /** The id of the next waiter of a lock; undefined: it uses one of its own. */
  take({ id }: LockTarget): ReservedId | undefined {
    return this.#byLock.get(id)?.take();
  }

  /** The ids that no waiter of the lock has used so far. */
  unused({ id }: LockTarget): readonly string[] {
    return this.#byLock.get(id)?.unused ?? [];
  }

  /** A caller was refused, and waits for the lock. */
  noteWait(target: LockTarget): void {
    let reserve = this.#byLock.get(target.id);
    if (reserve === undefined) {
      reserve = new IdReserve(this.context, target, () => this.#byLock.delete(target.id));
      this.#byLock.set(target.id, reserve);
    }
    reserve.noteWait();
  }

  /** A waiter of a lock has left. */
  noteEnd({ id }: LockTarget): void {
    this.#byLock.get(id)?.noteEnd();
  }
}
