import type { FairState } from './fair.state.js';

/** Times of the model, in ms. */
export interface ModelTimes {
  readonly life: number;
  readonly margin: number;
}

export const clientOf = (holder: string): string => holder.split(':')[0] ?? '';

/** What a Node client does to a fair lock, and is answered. Counts are absolute. */
export class FairModel {
  constructor(
    private readonly state: FairState,
    private readonly times: ModelTimes,
  ) {}

  acquire(holder: string, lease: number, count: number, wait: number, gift?: number): unknown {
    const { state } = this;
    const declared = Math.abs(state.waits.get(holder) ?? 0) || undefined;
    if (declared !== undefined) this.#show(holder, declared, gift);
    if (wait > 0 && state.waits.size > 0) this.#markAlive(clientOf(holder));
    let mustNotify = this.#prune();
    const { head } = state;
    const inTheWay = state.holder ?? head ?? '';
    let reply: unknown;
    if (state.countOf(holder) > 0) reply = this.#reenter(holder, lease, count);
    else if (count > 1) reply = state.lock === undefined ? [2] : [0, state.ttl, inTheWay];
    else if (state.lock === undefined && (head === undefined || head === holder)) {
      mustNotify = false;
      if (head === holder) {
        mustNotify = this.#dequeueHead(holder, declared ?? wait, lease);
      }
      state.give(holder, lease);
      reply = [1, 1];
    } else if (wait === 0) reply = [0, state.ttl === -2 ? 0 : state.ttl, inTheWay];
    else reply = [0, this.#stand(holder, wait, declared, gift), inTheWay];
    if (mustNotify && state.head !== holder) state.tell(state.head);
    return reply;
  }

  release(holder: string, count: number, lease: number, own = 0): unknown {
    const { state } = this;
    const held = state.countOf(holder);
    let reply: (number | 'reached')[] = [0];
    let mustNotify = false;
    if (count === 0) {
      if (held > 0) {
        state.lock = undefined;
        reply = [1, 'reached'];
      }
      mustNotify = state.head === holder;
      this.#leave(holder);
    } else if (held > 0) {
      if (state.lock !== undefined && held > count) {
        state.lock.counts.set(holder, count);
        // The head was told how long it may sleep.
        mustNotify = state.lock.until > state.now + lease;
        state.lock.until = state.now + lease;
      }
      reply = [2, state.countOf(holder)];
    }
    mustNotify = this.#prune() || mustNotify;
    const reached = Number(state.head !== undefined);
    const { head } = state;
    const isOwn = own > 0 && clientOf(head ?? '') === clientOf(holder);
    const isGiven = reply[0] === 1 && this.#give(isOwn ? own : undefined);
    if (!isGiven && (mustNotify || state.lock === undefined)) state.tell(state.head);
    if (isGiven && isOwn) return [1, 0, head];
    return reply.map((part) => (part === 'reached' ? reached : part));
  }

  forceRelease(): unknown {
    const { state } = this;
    const freed = state.lock !== undefined;
    state.lock = undefined;
    this.#prune();
    state.tell(state.head);
    return freed ? [1, Number(state.head !== undefined)] : [0];
  }

  renew(holder: string, lease: number): unknown {
    const { lock, now } = this.state;
    if (lock === undefined || this.state.countOf(holder) === 0) return [0];
    if (lease === 0 || this.state.ttl > lease) return [1, this.state.ttl];
    lock.until = now + lease;
    return 1;
  }

  /** @param live the integers of the client's holder ids that wait or hold, of those up to `last` */
  beat(client: string, last: number, live: readonly number[]): unknown {
    const { state } = this;
    for (const [name, until] of state.alive) if (until <= state.now) state.alive.delete(name);
    const hasLeft = (holder: string) => {
      const number = Number(holder.split(':')[1]);
      return clientOf(holder) === client && number <= last && !live.includes(number);
    };
    const isRemoved = this.#closeUp(hasLeft);
    const isInPlace = (name: string) => state.queue.includes(name) && !hasLeft(name);
    for (const waiter of [...state.waits.keys()].filter((name) => !isInPlace(name))) {
      state.remove(waiter);
      state.tell(waiter);
    }
    if (state.waits.size > 0) this.#markAlive(client);
    if (this.#prune() || isRemoved || state.lock === undefined) state.tell(state.head);
    const { holder } = state;
    const own = holder !== undefined && clientOf(holder) === client ? [holder] : [];
    return [1, this.#untilNext(), state.queue.length, ...own];
  }

  /**
   * The waits of those who have left go off the times behind them. One that stands in the queue twice has left once, and is moved once: by what
   * is in front of its last place.
   * @returns whether there are any
   */
  #closeUp(hasLeft: (holder: string) => boolean): boolean {
    const { state } = this;
    const left = new Set<string>();
    const inFront = new Map<string, number>();
    let sum = 0;
    for (const waiter of state.queue) {
      if (!hasLeft(waiter)) inFront.set(waiter, sum);
      else if (!left.has(waiter)) {
        left.add(waiter);
        sum += Math.abs(state.waits.get(waiter) ?? 0);
      }
    }
    for (const [waiter, off] of inFront) state.move([waiter], -off);
    return sum > 0;
  }

  /** A release makes the head the holder, which has said how. @param own the lease of a head that need not be told */
  #give(own: number | undefined): boolean {
    const { state } = this;
    const { head = '' } = state;
    const wait = state.waits.get(head) ?? 0;
    const gift = state.gifts.get(head);
    if (wait <= 0 || gift === undefined) return false;
    const lease = own ?? gift;
    if (own === undefined) state.tell(head, 2);
    const mustNotify = this.#dequeueHead(head, wait, lease);
    state.give(head, lease);
    if (mustNotify) state.tell(state.head);
    return true;
  }

  /** The head leaves the queue to have the lock. @returns whether the new head has to be told */
  #dequeueHead(holder: string, wait: number, lease: number): boolean {
    this.state.remove(holder);
    this.state.move(this.state.times.keys(), -wait);
    return this.#prune() || lease < 1000;
  }

  #reenter(holder: string, lease: number, count: number): unknown {
    const { lock, now } = this.state;
    if (lock === undefined) throw new Error('nobody re-enters a free lock');
    lock.counts.set(holder, Math.max(count, this.state.countOf(holder)));
    if (this.state.ttl < lease) lock.until = now + lease;
    return [1, this.state.countOf(holder)];
  }

  /** D21: a waiter that asks near its time gets its whole wait again. */
  #show(holder: string, declared: number, gift: number | undefined): void {
    const { state } = this;
    const time = state.times.get(holder);
    const near = this.#near(declared);
    if (time !== undefined && state.queue.includes(holder) && near > 0 && time - state.now <= near)
      state.move([holder, ...state.behind(holder)], state.now + declared - time);
    state.declare(holder, declared, gift);
  }

  #stand(holder: string, wait: number, declared: number | undefined, gift: number | undefined): number {
    const { state } = this;
    const isPlaced = state.times.has(holder) && state.queue.includes(holder);
    if (!isPlaced) {
      state.queue = state.queue.filter((waiter) => waiter !== holder);
      const last = state.times.get(state.queue.at(-1) ?? '');
      const from = last ?? state.now + state.ttl;
      state.times.set(holder, Math.max(from, state.now) + wait);
      state.queue.push(holder);
    }
    if (!isPlaced || declared === undefined) {
      state.declare(holder, wait, gift);
      this.#markAlive(clientOf(holder));
    }
    const left = Math.max((state.times.get(holder) ?? 0) - state.now - this.#near(declared ?? wait), 1);
    return state.head === holder ? Math.min(state.ttl, left) : left;
  }

  #leave(holder: string): void {
    const { state } = this;
    const place = state.queue.indexOf(holder);
    const front = state.times.get(state.queue[place - 1] ?? '');
    const distance = front === undefined ? 0 : Math.max((state.times.get(holder) ?? front) - front, 0);
    state.move(state.behind(holder), -Math.abs(state.waits.get(holder) ?? distance));
    state.remove(holder);
  }

  /** @returns whether the head has to be told */
  #prune(): boolean {
    const { state } = this;
    let mustNotify = false;
    for (let { head } = state; head !== undefined; head = state.head) {
      const time = state.times.get(head);
      const wait = state.waits.get(head);
      const lives = (state.alive.get(clientOf(head)) ?? 0) > state.now;
      const near = wait === undefined ? 0 : this.#near(wait);
      if (time === undefined) state.remove(head);
      else if (wait !== undefined && !lives) this.#leave(head);
      else if (wait !== undefined && wait > 0 && near > 0 && time - state.now <= near) {
        state.waits.set(head, -wait);
        state.move(state.queue, state.now + near - time);
        return true;
      } else if (time <= state.now) state.remove(head);
      else break;
      state.tell(head);
      mustNotify = true;
    }
    if (state.head === undefined) {
      for (const waiter of state.waits.keys()) state.tell(waiter);
      state.times.clear();
      state.waits.clear();
    }
    if (state.waits.size === 0) state.alive.clear();
    return mustNotify;
  }

  #markAlive(client: string): void {
    const { state, times } = this;
    const last = Math.max(...state.times.values());
    state.waitsUntil = Math.max(last, state.now + times.life);
    state.alive.set(client, state.now + times.life);
    state.aliveUntil = state.now + times.life;
  }

  #near(wait: number): number {
    return Math.min(this.times.margin, Math.floor(Math.abs(wait) / 2));
  }

  #untilNext(): number {
    const { state } = this;
    if (state.head === undefined) return -1;
    const time = state.times.get(state.head) ?? state.now;
    const wait = state.waits.get(state.head);
    const moments = wait === undefined ? [time] : [time - (wait > 0 ? this.#near(wait) : 0)];
    if (wait !== undefined) moments.push(state.alive.get(clientOf(state.head)) ?? state.now);
    if (state.ttl >= 0) moments.push(state.now + state.ttl);
    return Math.max(Math.min(...moments) - state.now, 1);
  }
}
