import { randomUUID } from 'node:crypto';
import {
  fairAcquire,
  fairHeartbeat,
  fairForceRelease,
  fairRelease,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { lockChannel, prefixName, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { ModelStore } from '../models/model.store.js';
import { rounded, type Snapshot } from '../models/store.dump.js';

/** The lock's hash: hold counts by holder, and the ttl; -1: none. */
export interface Held {
  readonly counts: Readonly<Record<string, number>>;
  readonly ttl: number;
}

/**
 * A fair lock as the tables write it: times in ms from now. A waiter without a time is in the list alone, a time in `lost`
 * belongs to nobody in the list.
 */
export interface Fair {
  readonly lock?: Held;
  readonly queue?: readonly (readonly [holder: string, time?: number])[];
  readonly lost?: Readonly<Record<string, number>>;
  /** What Node waiters declared; below 0 for one that was asked whether it lives. A text names the lease of a gift as well. */
  readonly waits?: Readonly<Record<string, number | string>>;
  /** Until when each client counts as alive. */
  readonly alive?: Readonly<Record<string, number>>;
}

/** What came of an operation. */
export interface Answer {
  readonly reply: unknown;
  /** The holders that were told, in order; with a space and the payload where that is not `0`. */
  readonly told: readonly string[];
  readonly after: Fair;
}

/** Two Node processes. Java's client ids look no different: what tells them apart is that nobody declared a wait for theirs. */
export const CLIENT = {
  a: '6e38a1f0-0000-4000-8000-00000000000a',
  b: '6e38a1f0-0000-4000-8000-00000000000b',
};

/** Waiters of the two Node processes, and of two Java ones. */
export const HOLDER = {
  A: `${CLIENT.a}:1`,
  A2: `${CLIENT.a}:2`,
  B: `${CLIENT.b}:1`,
  J: '6e38a1f0-0000-4000-8000-00000000000c:41',
  K: '6e38a1f0-0000-4000-8000-00000000000d:42',
};

/** Others that tables name, and that hear what is told to them. */
const OTHERS = ['ghost:1', 'dead:1'];

/** Rounding, in ms: tables name multiples of it, and half of it may pass. */
export const GRAIN = 5000;

export const held = (holder: string, ttl: number, count = 1): Held => ({
  counts: { [holder]: count },
  ttl,
});

export interface Settings {
  readonly life?: number | string;
  readonly margin?: number | string;
}

/** One fair lock in Redis, as the tables see it. */
export class FairStage {
  readonly lock: string;
  readonly queue: string;
  readonly timeout: string;
  readonly waits: string;
  readonly alive: string;

  private constructor(
    readonly store: ModelStore,
    lock: string,
  ) {
    this.lock = lock;
    this.queue = prefixName('redisson_lock_queue', lock);
    this.timeout = prefixName('redisson_lock_timeout', lock);
    this.waits = suffixName(lock, 'fair_waits');
    this.alive = suffixName(lock, 'fair_alive');
  }

  static async open(url: string): Promise<FairStage> {
    const name = `protocol:fair:${randomUUID()}`;
    const channels = [...Object.values(HOLDER), ...OTHERS].map((holder) => `${lockChannel(name)}:${holder}`);
    return new FairStage(await ModelStore.open(url, [`*${name}*`], channels), name);
  }

  /** The five keys, as the scripts take them. */
  get keys(): readonly string[] {
    return [this.lock, this.queue, this.timeout, this.waits, this.alive];
  }

  /** Another lock on the same connection, cleared and closed with this one. */
  other(name: string): FairStage {
    return new FairStage(this.store, `${this.lock}:${name}`);
  }

  async put({ lock, queue = [], lost = {}, waits = {}, alive = {} }: Fair): Promise<void> {
    const { redis } = this.store;
    await redis.del(...this.keys);
    const now = await this.now();
    const times = [
      ...queue.flatMap(([holder, time]) => (time === undefined ? [] : [[holder, time] as const])),
    ];
    if (lock !== undefined) await redis.hset(this.lock, lock.counts);
    if (lock !== undefined && lock.ttl >= 0) await redis.pexpire(this.lock, lock.ttl);
    if (queue.length > 0) await redis.rpush(this.queue, ...queue.map(([holder]) => holder));
    for (const [holder, time] of [...times, ...Object.entries(lost)])
      await redis.zadd(this.timeout, now + time, holder);
    if (Object.keys(waits).length > 0) {
      await redis.hset(this.waits, waits);
      await redis.pexpire(this.waits, 600_000);
    }
    for (const [client, until] of Object.entries(alive)) await redis.zadd(this.alive, now + until, client);
    if (Object.keys(alive).length > 0) await redis.pexpire(this.alive, Math.max(1, ...Object.values(alive)));
  }

  async look(): Promise<Fair> {
    return this.#fair(await this.store.dump.read());
  }

  /** Runs a script as the library does, on this lock. `args` are those of the operation; `{channel}` stands for the channel. */
  async call(
    script: LuaScript,
    shared: readonly (string | number)[],
    args: readonly (string | number)[],
  ): Promise<Answer> {
    const { reply, messages, after } = await this.store.run(script, this.keys, [...shared, ...args]);
    const [row] = Array.isArray(reply) ? reply : [reply];
    return { reply: coarse(row), told: this.#named(messages), after: this.#fair(after) };
  }

  /** Who is told while somebody else works on the lock. */
  async toldDuring(work: () => Promise<void>): Promise<readonly string[]> {
    return this.#named(await this.store.heardDuring(work));
  }

  acquire(
    holder: string,
    wait: number | string,
    {
      lease = 60_000,
      count = 1,
      life = 60_000,
      margin = 0,
      given = 0,
    }: Settings & Partial<Record<'lease' | 'count' | 'given', number | string>> = {},
  ): Promise<Answer> {
    return this.call(
      fairAcquire,
      ['PUBLISH', life, margin],
      [holder, lease, count, wait, given, lockChannel(this.lock)],
    );
  }

  release(
    holder: string,
    count: number | string = 0,
    {
      lease = 60_000,
      margin = 0,
      own = 0,
    }: Settings & Partial<Record<'lease' | 'own', number | string>> = {},
  ): Promise<Answer> {
    return this.call(fairRelease, ['PUBLISH', margin, own], [holder, count, lease, lockChannel(this.lock)]);
  }

  forceRelease({ margin = 0 }: Settings = {}): Promise<Answer> {
    return this.call(fairForceRelease, ['PUBLISH', margin], [lockChannel(this.lock)]);
  }

  /** @param live the integers of the holder ids that wait or hold, of those up to `last` */
  beat(
    client: string,
    {
      life = 60_000,
      margin = 0,
      last = 0,
      live = [],
    }: Settings & { readonly last?: number | string; readonly live?: readonly number[] } = {},
  ): Promise<Answer> {
    const args = [client, last, JSON.stringify(live), lockChannel(this.lock)];
    return this.call(fairHeartbeat, ['PUBLISH', life, margin], args);
  }

  async now(): Promise<number> {
    const [seconds, microseconds] = await this.store.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  clear(): Promise<void> {
    return this.store.clear();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #named(messages: readonly string[]): string[] {
    const channel = `${lockChannel(this.lock)}:`;
    return messages.map((text) => text.slice(channel.length).replace(/ 0$/, ''));
  }

  #fair(exact: Snapshot): Fair {
    const snapshot = rounded(exact, GRAIN);
    const [lock, queue, timeout, waits, alive] = this.keys.map((key) => snapshot[key]);
    const times = { ...(timeout?.type === 'zset' ? timeout.scores : {}) };
    const found: { -readonly [Part in keyof Fair]: Fair[Part] } = {};
    if (lock?.type === 'hash') found.lock = { counts: numbersOf(lock.fields), ttl: lock.ttl };
    if (queue?.type === 'list') {
      found.queue = queue.items.map((holder) => {
        const time = times[holder];
        return time === undefined ? [holder] : [holder, time];
      });
      for (const holder of queue.items) delete times[holder];
    }
    if (Object.keys(times).length > 0) found.lost = times;
    if (waits?.type === 'hash') found.waits = waitsOf(waits.fields);
    if (alive?.type === 'zset') found.alive = alive.scores;
    return found;
  }
}

function numbersOf(fields: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(fields).map(([name, number]) => [name, Number(number)]));
}

/** A wait alone is a number. */
function waitsOf(fields: Readonly<Record<string, string>>): Record<string, number | string> {
  const gifts = Object.entries(fields).filter(([, text]) => text.includes(':'));
  return { ...numbersOf(fields), ...Object.fromEntries(gifts) };
}

/** Times are far above a second, counts far below. */
function coarse(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(coarse);
  return typeof reply === 'number' && reply > 1000 ? Math.round(reply / GRAIN) * GRAIN : reply;
}
