import type { ClientLifecycle } from './client.lifecycle.js';

/** The one connection that listens, however many channels. */
export class SubscriberConnection {
  readonly #wanted = new Set<string>();
  #onMessage: (channel: string, payload: string) => void = () => undefined;
  #onRestored: () => void = () => undefined;

  constructor(readonly lifecycle: ClientLifecycle) {
    lifecycle.client.on('message', (channel, payload) => this.#onMessage(channel ?? '', payload ?? ''));
    lifecycle.onReady(() => void this.#restore());
  }

  /** Sets the receiver of messages, and of the news that subscriptions were made anew, so that messages may have been missed. */
  listen(onMessage: (channel: string, payload: string) => void, onRestored: () => void): void {
    this.#onMessage = onMessage;
    this.#onRestored = onRestored;
  }

  /**
   * Resolves when Redis has acknowledged the subscription. While the connection is away it rejects, and the
   * subscription is made, and told through `onRestored`, once it is back.
   */
  async subscribe(channel: string): Promise<void> {
    this.#wanted.add(channel);
    await this.lifecycle.client.subscribe(channel);
  }

  unsubscribe(channel: string): void {
    if (!this.#wanted.delete(channel) || !this.lifecycle.isReady) return;
    // A connection that breaks here takes the subscription with it.
    void this.lifecycle.client.unsubscribe(channel).catch(() => undefined);
  }

  async #restore(): Promise<void> {
    if (this.#wanted.size === 0) return;
    try {
      await this.lifecycle.client.subscribe(...this.#wanted);
      this.#onRestored();
    } catch {
      // The connection broke again, and comes back here when it is ready; or the user may not subscribe, which each wait finds out.
    }
  }
}
