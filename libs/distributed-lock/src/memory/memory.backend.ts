import type { Commands, CommandCallback } from '../connections/command.contract.js';
import type { Backend } from '../connections/backend.contract.js';
import type { ScriptCommand, ScriptWords } from '../client-port/script.command.js';
import { MemorySubscriber } from './memory.subscriber.js';
import type { MemoryStore } from './memory.store.js';

/** The ground of one module instance on a memory store: commands run at once, and are answered a little later. */
export class MemoryBackend implements Backend, Commands {
  readonly commands: Commands = this;
  readonly subscriber: MemorySubscriber;
  readonly lifecycle = { start: () => undefined, lastTrouble: 'the store is closed' };
  readonly keyPrefix = '';
  readonly isCluster = false;
  readonly countsAllReceivers = true;
  readonly publish = 'PUBLISH';
  readonly isAcked = false;
  #isClosed = false;

  constructor(private readonly store: MemoryStore) {
    this.subscriber = new MemorySubscriber(store);
  }

  get isReady(): boolean {
    return !this.#isClosed;
  }

  onReady(listener: () => void): void {
    this.store.turns.later(listener);
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
    const answer = this.store.scripts.answer(words);
    this.store.turns.later(() => {
      if ('failure' in answer) callback.failed(answer.failure);
      else callback.answered(answer.reply);
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.subscriber.close();
  }
}
