import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import { fromBytes, toBytes } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import { MemoryStore } from '../../libs/distributed-lock/src/memory/memory.store.js';
import type { Step } from './model.store.js';
import { NEVER, type Snapshot, type StoredKey } from './store.dump.js';

/** The store in memory as a model test uses one: see ModelStore. */
export class MemoryModelStore {
  readonly store = new MemoryStore();
  #heard: string[] = [];

  constructor(channels: readonly string[]) {
    for (const channel of channels)
      this.store.channels.subscribe(toBytes(channel), (name, payload) =>
        this.#heard.push(`${fromBytes(name)} ${fromBytes(payload ?? '')}`),
      );
  }

  async run(script: LuaScript, keys: readonly string[], args: readonly string[]): Promise<Step> {
    this.#heard = [];
    const reply = this.#reply(script, keys, args);
    // What was told comes in a later microtask.
    await new Promise((resolve) => setImmediate(resolve));
    return { reply, after: this.read(), messages: this.#heard };
  }

  /** Lets `ms` pass, as the shift of a StoreDump does. */
  advance(ms: number, grain: number): Snapshot {
    const now = Date.now();
    const after = (left: number) => Math.floor(left / grain + 0.5) * grain - ms;
    const { keys } = this.store;
    for (const key of keys.names()) {
      const left = keys.ttl(key);
      if (left >= 0) keys.expire(key, after(left));
      if (keys.typeOf(key) !== 'zset') continue;
      const scores = keys.open(key, 'zset');
      for (const [member, score] of scores) if (score < NEVER) scores.set(member, now + after(score - now));
    }
    return this.read();
  }

  clear(): void {
    this.store.clear();
  }

  read(): Snapshot {
    return Object.fromEntries(this.store.keys.names().map((key) => [fromBytes(key), this.#stored(key)]));
  }

  #reply(script: LuaScript, keys: readonly string[], args: readonly string[]): unknown {
    try {
      return this.store.scripts.run(script.sha1, keys, args);
    } catch (error) {
      return String(error);
    }
  }

  #stored(key: string): StoredKey {
    const { keys } = this.store;
    const ttl = keys.ttl(key);
    const type = keys.typeOf(key);
    const pairs = <T>(map: ReadonlyMap<string, T>) =>
      Object.fromEntries([...map].map(([name, value]): [string, T] => [fromBytes(name), value]));
    switch (type) {
      case 'hash': {
        const fields = Object.entries(pairs(keys.open(key, type)));
        return {
          type,
          ttl,
          fields: Object.fromEntries(fields.map(([field, value]) => [field, fromBytes(value)])),
        };
      }
      case 'list':
        return { type, ttl, items: keys.open(key, type).map(fromBytes) };
      case 'zset': {
        const now = Date.now();
        const scores = Object.entries(pairs(keys.open(key, type)));
        return {
          type,
          ttl,
          scores: Object.fromEntries(
            scores.map(([name, score]) => [name, score < NEVER ? score - now : score]),
          ),
        };
      }
      default:
        return { type: 'string', ttl, value: fromBytes(keys.open(key, 'string').value) };
    }
  }
}
