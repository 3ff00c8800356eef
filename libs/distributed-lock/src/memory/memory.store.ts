import { MemoryChannels } from './memory.channels.js';
import { MemoryConnection } from './memory.connection.js';
import type { MemoryInstance } from './memory.instance.js';
import { MemoryKeys } from './memory.keys.js';
import { fromBytes, MemoryScripts } from './memory.scripts.js';
import { TurnQueue } from './turn.queue.js';
import { showAs } from '../objects/object.form.js';

/** So many servers as a red lock needs at least. */
const RED_SERVERS = 3;

/**
 * An in-memory replacement for Redis in tests: the keys of locks with their leases, and the channels on which
 * releases are published. Modules with the same store compete for the same locks, like instances of one
 * application.
 */
export class MemoryStore {
  static {
    showAs(MemoryStore, (store) => ({ type: 'MemoryStore', keys: store.keyNames().length }));
  }

  /** @internal */
  readonly turns = new TurnQueue();
  /** @internal */
  readonly keys = new MemoryKeys();
  /** @internal */
  readonly connection = new MemoryConnection();
  /** @internal */
  readonly channels = new MemoryChannels(this.turns.later);
  /** @internal */
  readonly scripts = new MemoryScripts(this);
  /** @internal The module instances that stand on it. */
  readonly instances = new Set<MemoryInstance>();
  #servers: readonly MemoryStore[] | undefined;

  /** @internal The independent servers of red locks. */
  get servers(): readonly MemoryStore[] {
    this.#servers ??= Array.from({ length: RED_SERVERS }, () => new MemoryStore());
    return this.#servers;
  }

  /** Returns the names of all keys, as in Redis. For debugging: the names may change with any version. */
  keyNames(): string[] {
    return this.keys.names().map(fromBytes);
  }

  /**
   * Deletes all keys, like `FLUSHALL`. Holders notice the loss at the next renewal or check of their lease;
   * with `LockTestingControl.reset()` they notice it at once.
   */
  clear(): void {
    this.keys.clear();
    for (const server of this.#servers ?? []) server.clear();
  }

  /** @internal The same, and whoever waits looks again. */
  beginAnew(): void {
    this.clear();
    for (const { connection, channels } of this.#all()) {
      connection.reconnect();
      channels.refresh();
    }
  }

  /** @internal Until {@link reconnect}, no client reaches it, nor the servers of red locks. */
  disconnect(): void {
    for (const { connection } of this.#all()) connection.disconnect();
  }

  /** @internal */
  reconnect(): void {
    for (const { connection } of this.#all()) connection.reconnect();
  }

  #all(): MemoryStore[] {
    return [this, ...this.servers];
  }
}
