import type { Commands, CommandCallback } from '../connections/command.contract.js';
import type { Backend } from '../connections/backend.contract.js';
import type { ScriptCommand, ScriptWords } from '../client-port/script.command.js';
import type { MemoryConnection } from './memory.connection.js';
import { MemorySubscriber } from './memory.subscriber.js';
import type { MemoryStore } from './memory.store.js';

/** The ground of one module instance on a memory store: commands run at once, and are answered a little later. */
export class MemoryBackend implements Backend, Commands {
  readonly commands: Commands = this;
  readonly subscriber: MemorySubscriber;
  readonly lifecycle: Commands['lifecycle'];
  readonly keyPrefix = '';
  readonly isCluster = false;
  readonly countsAllReceivers = true;
  readonly publish = 'PUBLISH';
  readonly isAcked = false;
  readonly #readyListeners: (() => void)[] = [];
  readonly #unlisten: () => void;
  #isClosed = false;

  constructor(
    private readonly store: MemoryStore,
    private readonly connection: MemoryConnection,
  ) {
    this.subscriber = new MemorySubscriber(store, connection);
    this.lifecycle = {
      start: () => undefined,
      get lastTrouble() {
        return connection.trouble;
      },
    };
    this.#unlisten = connection.listen({
      reconnected: () => {
        for (const listener of this.#readyListeners) this.store.turns.later(listener);
      },
    });
  }

  get isReady(): boolean {
    return !this.#isClosed && this.connection.isOpen;
  }

  onReady(listener: () => void): void {
    this.#readyListeners.push(listener);
    if (this.isReady) this.store.turns.later(listener);
  }

  groupOf(): number {
    return 0;
  }

  untilSendable(): Promise<void> {
    return Promise.resolve();
  }

  demoted(): void {
    // A store in memory has no replicas.
  }

  run(_command: ScriptCommand, words: ScriptWords, _isAcked: boolean, callback: CommandCallback): void {
    const { connection } = this;
    const answer = connection.isOpen ? this.store.scripts.answer(words) : { failure: connection.failure };
    this.store.turns.later(() => {
      if ('failure' in answer) callback.failed(answer.failure);
      else callback.answered(answer.reply);
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#unlisten();
    return this.subscriber.close();
  }
}
