import type { Subscriber, SubscriberListener } from '../redis/subscriber.contract.js';
import type { MemoryConnection } from './memory.connection.js';
import { fromBytes, toBytes } from './memory.scripts.js';
import type { MemoryStore } from './memory.store.js';

/** The channels of one module instance on a memory store. */
export class MemorySubscriber implements Subscriber {
  readonly #channels = new Set<string>();
  readonly #unlisten: () => void;
  #listener: SubscriberListener | undefined;

  constructor(
    private readonly store: MemoryStore,
    private readonly connection: MemoryConnection,
  ) {
    this.#unlisten = connection.listen({
      disconnected: () => this.#disconnected(),
      reconnected: () => this.#reconnected(),
    });
  }

  listen(listener: SubscriberListener): void {
    this.#listener = listener;
  }

  subscribe(channel: string): Promise<void> {
    const name = toBytes(channel);
    this.#channels.add(name);
    const { connection, store } = this;
    if (!connection.isOpen) return Promise.reject(connection.failure);
    store.channels.subscribe(name, this.#receive);
    return new Promise((resolve, reject) =>
      store.turns.later(() => (connection.isOpen ? resolve() : reject(connection.failure))),
    );
  }

  unsubscribe(channel: string): void {
    const name = toBytes(channel);
    this.#channels.delete(name);
    this.store.channels.unsubscribe(name, this.#receive);
  }

  untilReady(): Promise<void> {
    return Promise.resolve();
  }

  restart(): void {
    // Nothing here can fall silent.
  }

  close(): Promise<void> {
    this.#unlisten();
    for (const name of this.#channels) this.store.channels.unsubscribe(name, this.#receive);
    this.#channels.clear();
    return Promise.resolve();
  }

  #disconnected(): void {
    for (const name of this.#channels) {
      this.store.channels.unsubscribe(name, this.#receive);
      this.#listener?.disconnected(fromBytes(name));
    }
  }

  #reconnected(): void {
    for (const name of this.#channels) {
      this.store.channels.subscribe(name, this.#receive);
      this.store.turns.later(
        () => this.connection.isOpen && this.#channels.has(name) && this.#receive(name, undefined),
      );
    }
  }

  readonly #receive = (channel: string, payload: string | undefined): void => {
    const name = fromBytes(channel);
    if (payload === undefined) this.#listener?.resubscribed(name);
    else this.#listener?.message(name, fromBytes(payload));
  };
}
