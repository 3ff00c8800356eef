import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { lockChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';

/** A lock's hash as the tables write it: hold counts by holder, and the ttl (-1: none); `free` when there is no key. */
export type LockState = Readonly<{ counts: Readonly<Record<string, number>>; ttl: number }> | 'free';

export const held = (counts: Record<string, number>, ttl: number): LockState => ({ counts, ttl });

/** The keys and the channel of one lock of a test. */
export interface Names {
  readonly lock: string;
  /** The queue of processes. */
  readonly waiting: string;
  readonly record: string;
  readonly runs: string;
  readonly channel: string;
  /** The three keys of a tick script. */
  readonly tick: readonly string[];
}

export function namesOf(lock: string): Names {
  const waiting = suffixName(lock, 'waiting');
  const record = suffixName(lock, 'tick');
  const runs = suffixName(lock, 'runs');
  return { lock, waiting, record, runs, channel: lockChannel(lock), tick: [lock, record, runs] };
}

/**
 * Rounds what is a number of ms up to full ten seconds, so that tables can name leases of 10, 20, … s exactly however
 * slow the machine is; counts are far below and stay.
 */
export function coarse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(coarse);
  return typeof value === 'number' && value > 1000 ? Math.ceil(value / 10_000) * 10_000 : value;
}

export interface StageOptions {
  readonly protocol?: 2 | 3;
  readonly username?: string;
  readonly password?: string;
}

/** One Redis as the scripts' tables see it: it sends scripts, puts states, reads states and counts messages. */
export class ProtocolStage {
  readonly #names: Names[] = [];
  readonly #heard = new Map<string, string[]>();

  private constructor(
    readonly redis: Redis,
    readonly subscriber: Redis,
  ) {
    subscriber.on('message', (channel: string, text: string) => this.#heard.get(channel)?.push(text));
  }

  static open(url: string, options: StageOptions = {}): ProtocolStage {
    return new ProtocolStage(new Redis(url, options), new Redis(url, options));
  }

  /** Names that no other test uses; their keys are deleted at the end. */
  names(): Names {
    const names = namesOf(`protocol:${randomUUID()}`);
    this.#names.push(names);
    return names;
  }

  /** Runs a script by its SHA-1, as the library does. */
  async call(
    script: LuaScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await this.redis.evalsha(script.sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return await this.redis.eval(script.text, keys.length, ...keys, ...args);
    }
  }

  async put(lock: string, state: LockState): Promise<void> {
    await this.redis.del(lock);
    if (state === 'free') return;
    await this.redis.hset(lock, state.counts);
    if (state.ttl > 0) await this.redis.pexpire(lock, state.ttl);
  }

  /** The state with its ttl rounded as {@link coarse} does. */
  async state(lock: string): Promise<LockState> {
    const counts = await this.redis.hgetall(lock);
    if (Object.keys(counts).length === 0) return 'free';
    const entries = Object.entries(counts).map(([holder, count]) => [holder, Number(count)]);
    return { counts: Object.fromEntries(entries), ttl: Number(coarse(await this.redis.pttl(lock))) };
  }

  async listen(channel: string): Promise<void> {
    this.#heard.set(channel, []);
    await this.subscriber.subscribe(channel);
  }

  /** What the channel said so far; a message of our own behind the others tells that they are all here. */
  async messages(channel: string): Promise<string[]> {
    const mark = randomUUID();
    await this.redis.publish(channel, mark);
    const heard = this.#heard.get(channel) ?? [];
    while (heard.at(-1) !== mark) await new Promise((resolve) => this.subscriber.once('message', resolve));
    heard.pop();
    return [...heard];
  }

  /** What the channels of these clients said so far, each with the last digit of its client in front. */
  async heardBy(clients: readonly string[], channelOf: (client: string) => string): Promise<string[]> {
    const texts = await Promise.all(
      clients.map(async (client) => {
        const messages = await this.messages(channelOf(client));
        return messages.map((text) => `${client.at(-1)} ${text}`);
      }),
    );
    return texts.flat();
  }

  /** Makes a server that nobody else uses refuse writes while `work` runs. */
  async whileRefusing(how: 'OOM' | 'READONLY', work: () => Promise<void>): Promise<void> {
    const { redis } = this;
    await (how === 'OOM' ? redis.config('SET', 'maxmemory', '1') : redis.replicaof('127.0.0.1', '1'));
    try {
      await work();
    } finally {
      await (how === 'OOM' ? redis.config('SET', 'maxmemory', '0') : redis.replicaof('NO', 'ONE'));
    }
  }

  /** The store's time, epoch ms. */
  async now(): Promise<number> {
    const [seconds, microseconds] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  async close(): Promise<void> {
    const keys = this.#names.flatMap((names) => [...names.tick, names.waiting]);
    if (keys.length > 0) await Promise.all(keys.map((key) => this.redis.del(key)));
    this.redis.disconnect();
    this.subscriber.disconnect();
  }
}
