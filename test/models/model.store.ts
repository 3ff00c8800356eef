import { Redis } from 'ioredis';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { StoreDump, type Snapshot } from './store.dump.js';

/** What one operation did. */
export interface Step {
  readonly reply: unknown;
  /** What was published, in order: the channel, a space, the payload. */
  readonly messages: readonly string[];
  readonly after: Snapshot;
}

/**
 * The store of a model test: runs one operation and reads everything afterwards, in one round trip. It hears the messages
 * on the connection that sends the operations (RESP3), so that they are all here when the next reply is.
 */
export class ModelStore {
  readonly dump: StoreDump;
  readonly #known = new Set<string>();
  #heard: string[] = [];

  private constructor(
    readonly redis: Redis,
    readonly patterns: readonly string[],
  ) {
    this.dump = new StoreDump(redis, patterns);
    const hear = (channel: string, payload: string) => this.#heard.push(`${channel} ${payload}`);
    redis.on('message', hear);
    redis.on('pmessage', (_pattern: string, channel: string, payload: string) => hear(channel, payload));
  }

  /**
   * @param patterns the keys of the model; those with a star are patterns
   * @param channels those to listen to, or a pattern of them, whose listener scripts do not see
   */
  static async open(
    url: string,
    patterns: readonly string[],
    channels: string | readonly string[],
  ): Promise<ModelStore> {
    const store = new ModelStore(new Redis(url, { protocol: 3 }), patterns);
    if (typeof channels === 'string') await store.redis.psubscribe(channels);
    else await store.redis.subscribe(...channels);
    return store;
  }

  /** Runs a script, of the library by its declaration or of the test's own by its text. */
  async run(
    script: LuaScript | string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<Step> {
    this.#heard = [];
    const [reply, after] = await Promise.all([this.#evaluate(script, keys, args), this.dump.read()]);
    return { reply, after, messages: this.#heard };
  }

  /** Lets `ms` pass, as {@link StoreDump.shift} does. */
  async advance(ms: number, grain = 1): Promise<Step> {
    this.#heard = [];
    const [, after] = await Promise.all([this.dump.shift(ms, grain), this.dump.read()]);
    return { reply: undefined, after, messages: this.#heard };
  }

  /** What is published while somebody else works on the keys. */
  async heardDuring(work: () => Promise<void>): Promise<readonly string[]> {
    this.#heard = [];
    await work();
    await this.redis.ping();
    return this.#heard;
  }

  async clear(): Promise<void> {
    const keys = Object.keys(await this.dump.read());
    if (keys.length > 0) await this.redis.del(...keys);
  }

  async close(): Promise<void> {
    await this.clear();
    this.redis.disconnect();
  }

  #evaluate(
    script: LuaScript | string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const { sha1, text } = typeof script === 'string' ? { sha1: script, text: script } : script;
    if (typeof script !== 'string' && this.#known.has(sha1))
      return this.redis.evalsha(sha1, keys.length, ...keys, ...args);
    this.#known.add(sha1);
    return this.redis.eval(text, keys.length, ...keys, ...args);
  }
}
