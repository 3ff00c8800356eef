import { now } from '../timing/monotonic.clock.js';
import { LuaError, LuaTable } from '../lua-runtime/lua.values.js';

/** What a key may have, by its type. Texts have one character per byte. */
interface Contents {
  readonly string: { value: string };
  readonly hash: Map<string, string>;
  readonly list: string[];
  readonly zset: Map<string, number>;
}

export type KeyType = keyof Contents;

interface Entry<T extends KeyType = KeyType> {
  readonly type: T;
  readonly content: Contents[T];
  /** On the monotonic clock, in whole ms; undefined: it stays. */
  expiresAt: number | undefined;
}

/** An error reply. */
export function refusal(message: string): LuaError {
  return new LuaError(new LuaTable([], [['err', message]]));
}

/**
 * The keys of a memory store. They expire by the clock that leases are counted by, so that a wall clock which a test sets
 * takes no lock away.
 */
export class MemoryKeys {
  readonly #entries = new Map<string, Entry>();
  /** While a script runs: the instant that all of it sees. */
  #instant: number | undefined;
  readonly #making: { readonly [T in KeyType]: () => Contents[T] } = {
    string: () => ({ value: '' }),
    hash: () => new Map(),
    list: () => [],
    zset: () => new Map(),
  };

  /** Runs a script: no key expires while it runs, as in Redis. */
  atOneInstant<T>(run: () => T): T {
    this.#instant = Math.floor(now());
    try {
      return run();
    } finally {
      this.#instant = undefined;
    }
  }

  typeOf(key: string): KeyType | undefined {
    return this.#find(key)?.type;
  }

  /** @throws LuaError `WRONGTYPE` */
  read<T extends KeyType>(key: string, type: T): Contents[T] | undefined {
    const entry = this.#find(key);
    if (entry === undefined) return undefined;
    if (!isOf(entry, type))
      throw refusal('WRONGTYPE Operation against a key holding the wrong kind of value');
    return entry.content;
  }

  /** The content to be changed; made where there is none. @throws LuaError `WRONGTYPE` */
  open<T extends KeyType>(key: string, type: T): Contents[T] {
    const known = this.read(key, type);
    if (known !== undefined) return known;
    const content = this.#making[type]();
    this.#entries.set(key, { type, content, expiresAt: undefined });
    return content;
  }

  /** To be called when something was taken out: a key with nothing in it is none. */
  sweep(key: string, size: number): void {
    if (size === 0) this.#entries.delete(key);
  }

  delete(key: string): boolean {
    return this.#find(key) !== undefined && this.#entries.delete(key);
  }

  /** What is left of its life in ms; -1 for no end, -2 for no key. */
  ttl(key: string): number {
    const entry = this.#find(key);
    if (entry === undefined) return -2;
    return entry.expiresAt === undefined ? -1 : entry.expiresAt - this.#now();
  }

  /** @param ttl in ms; undefined for no end; what is not above 0 deletes it. @returns whether there is such a key */
  expire(key: string, ttl: number | undefined): boolean {
    const entry = this.#find(key);
    if (entry === undefined) return false;
    if (ttl !== undefined && ttl <= 0) this.#entries.delete(key);
    else entry.expiresAt = ttl === undefined ? undefined : this.#now() + ttl;
    return true;
  }

  names(): string[] {
    return [...this.#entries.keys()].filter((key) => this.#find(key) !== undefined);
  }

  clear(): void {
    this.#entries.clear();
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.expiresAt === undefined || entry.expiresAt >= this.#now()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #now(): number {
    return this.#instant ?? Math.floor(now());
  }
}

function isOf<T extends KeyType>(entry: Entry, type: T): entry is Entry<T> {
  return entry.type === type;
}
