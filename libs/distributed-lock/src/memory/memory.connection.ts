import { RedisFailure } from '../redis/redis.failure.js';

/** Is called when a store can no longer be reached, and when it can be reached again. */
export interface MemoryConnectionListener {
  disconnected?(): void;
  reconnected(): void;
}

/** Whether the clients of a memory store reach it: they do, until a test disconnects them. */
export class MemoryConnection {
  readonly #listeners = new Set<MemoryConnectionListener>();
  #isOpen = true;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The failure of a command that is sent meanwhile. */
  get failure(): RedisFailure {
    return new RedisFailure('unsent', this.trouble);
  }

  /** Why there is no connection, for messages. */
  get trouble(): string {
    return this.#isOpen ? 'the store is closed' : 'the test has disconnected the store';
  }

  /** @returns ends it */
  listen(listener: MemoryConnectionListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  disconnect(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const listener of [...this.#listeners]) listener.disconnected?.();
  }

  reconnect(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const listener of [...this.#listeners]) listener.reconnected();
  }
}
