import {
  fairAcquire,
  fairHeartbeat,
  fairForceRelease,
  fairRelease,
  renewalRenew,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { lockChannel, prefixName, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { FairModel } from './fair.model.js';
import { LIFE, LONG, MARGIN, SHORT, WAITS, type Damage, type Holder, type Move } from './fair.moves.js';
import { FairState, type FairKeys } from './fair.state.js';
import { JavaFairModel } from './java.fair.model.js';
import { JAVA_ACQUIRE, JAVA_LEAVE, JAVA_TRY, JAVA_UNLOCK } from './java.fair.scripts.js';

/** The keys of a fair lock. */
export function fairKeysOf(lock: string): FairKeys {
  return {
    lock,
    queue: prefixName('redisson_lock_queue', lock),
    timeout: prefixName('redisson_lock_timeout', lock),
    waits: suffixName(lock, 'fair_waits'),
    alive: suffixName(lock, 'fair_alive'),
  };
}

/** A move as the store is asked for it, and as the model makes it. */
export interface Action {
  readonly by: 'node' | 'java' | 'nobody';
  readonly script: LuaScript | string;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  readonly inModel: () => unknown;
}

type Moves<Kind extends Move['do']> = Extract<Move, { readonly do: Kind }>;

/** Every move as an action on one lock, whose model it keeps. */
export class FairActions {
  readonly state = new FairState();
  readonly #node = new FairModel(this.state, { life: LIFE, margin: MARGIN });
  readonly #java = new JavaFairModel(this.state);
  readonly #keys: FairKeys;
  readonly #channel: string;

  constructor(private readonly lock: string) {
    this.#keys = fairKeysOf(lock);
    this.#channel = lockChannel(lock);
  }

  of(move: Exclude<Move, Moves<'pass'>>, who: Holder): Action {
    if (move.do === 'damage') return this.#damage(move.what, who);
    if (move.do === 'force')
      return this.#node5(fairForceRelease, [MARGIN], [], () => this.#node.forceRelease());
    if (move.do === 'beat') {
      const { client, last, live } = move;
      return this.#node5(fairHeartbeat, [LIFE, MARGIN], [client, last, JSON.stringify(live)], () =>
        this.#node.beat(client, last, live),
      );
    }
    if (move.do === 'renew') {
      const inModel = () => this.#node.renew(who, move.lease);
      return { by: 'node', script: renewalRenew, keys: [this.lock], args: [move.lease, who], inModel };
    }
    return who.startsWith('java') ? this.#asJava(move, who) : this.#asNode(move, who);
  }

  #asNode(move: Moves<'wait' | 'try' | 'enter' | 'lower' | 'end'>, who: Holder): Action {
    const acquire = (lease: number, count: number, wait: number, isGiven = false): Action => {
      const gift = isGiven ? SHORT : undefined;
      return this.#node5(fairAcquire, [LIFE, MARGIN], [who, lease, count, wait, gift ?? 0], () =>
        this.#node.acquire(who, lease, count, wait, gift),
      );
    };
    const release = (count: number, lease: number, own = 0): Action =>
      this.#node5(fairRelease, [MARGIN, own], [who, count, lease], () =>
        this.#node.release(who, count, lease, own),
      );
    switch (move.do) {
      case 'wait':
        return acquire(move.lease, 1, WAITS[who], move.isGiven);
      case 'try':
        return acquire(move.lease, 1, 0);
      case 'enter':
        return acquire(move.lease, move.count, WAITS[who]);
      case 'lower':
        return release(move.count, move.lease);
      case 'end':
        return release(0, LONG, move.isHanding ? LONG : 0);
    }
  }

  #asJava(move: Moves<'wait' | 'try' | 'enter' | 'lower' | 'end'>, who: Holder): Action {
    const java = (script: string, lease: number, inModel: () => unknown): Action => {
      const { lock, queue, timeout } = this.#keys;
      const args = [who, WAITS[who], lease, this.#channel];
      return { by: 'java', script, keys: [lock, queue, timeout], args, inModel };
    };
    if (move.do === 'wait')
      return java(JAVA_ACQUIRE, move.lease, () => this.#java.acquire(who, move.lease, WAITS[who]));
    if (move.do === 'try' || move.do === 'enter')
      return java(JAVA_TRY, move.lease, () => this.#java.attempt(who, move.lease, WAITS[who]));
    if (move.do === 'lower' || this.state.countOf(who) > 0) {
      const lease = move.do === 'lower' ? move.lease : LONG;
      return java(JAVA_UNLOCK, lease, () => this.#java.unlock(who, lease));
    }
    return java(JAVA_LEAVE, LONG, () => this.#java.leave(who, WAITS[who]));
  }

  #node5(
    script: LuaScript,
    shared: readonly number[],
    args: readonly (string | number)[],
    inModel: () => unknown,
  ): Action {
    const { lock, queue, timeout, waits, alive } = this.#keys;
    const keys = [lock, queue, timeout, waits, alive];
    return { by: 'node', script, keys, args: ['PUBLISH', ...shared, ...args, this.#channel], inModel };
  }

  #damage(what: Damage, who: Holder): Action {
    const { state } = this;
    const { lock, queue, timeout, waits, alive } = this.#keys;
    const act = (
      command: string,
      key: string,
      args: readonly (string | number)[],
      inModel: () => void,
    ): Action => {
      const words = ['KEYS[1]', ...args.map((_arg, index) => `ARGV[${index + 1}]`)].join(', ');
      return {
        by: 'nobody',
        script: `redis.call('${command}', ${words}) return 'done'`,
        keys: [key],
        args,
        inModel: () => (inModel(), 'done'),
      };
    };
    switch (what) {
      case 'take its time':
        return act('ZREM', timeout, [who], () => state.times.delete(who));
      case 'take its place':
        return act('LREM', queue, [0, who], () => {
          state.queue = state.queue.filter((waiter) => waiter !== who);
        });
      case 'put it at the end':
        return act('RPUSH', queue, [who], () => state.queue.push(who));
      case 'take the ttl of the lock':
        return act('PERSIST', lock, [], () => {
          if (state.lock !== undefined) state.lock.until = Infinity;
        });
      case 'take the lock':
        return act('DEL', lock, [], () => (state.lock = undefined));
      case 'take the waits':
        return act('DEL', waits, [], () => state.waits.clear());
      case 'take the signs of life':
        return act('DEL', alive, [], () => state.alive.clear());
    }
  }
}
