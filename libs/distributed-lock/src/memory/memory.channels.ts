/** Receives the messages of a channel: a payload, or undefined when something may have been missed. */
export type ChannelListener = (channel: string, payload: string | undefined) => void;

/** The channels of a memory store. */
export class MemoryChannels {
  readonly #listeners = new Map<string, Set<ChannelListener>>();

  constructor(
    /** Runs what has to come after the command that is under way. */
    private readonly later: (run: () => void) => void,
  ) {}

  subscribe(channel: string, listener: ChannelListener): void {
    this.#listeners.set(channel, (this.#listeners.get(channel) ?? new Set()).add(listener));
  }

  unsubscribe(channel: string, listener: ChannelListener): void {
    const listeners = this.#listeners.get(channel);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(channel);
  }

  /** Listeners check again, as after a connection that was away. */
  refresh(): void {
    for (const channel of this.names()) this.#notify(channel, undefined);
  }

  /** @returns how many it reaches, a little later */
  publish(channel: string, payload: string): number {
    return this.#notify(channel, payload);
  }

  listeners(channel: string): number {
    return this.#listeners.get(channel)?.size ?? 0;
  }

  names(): string[] {
    return [...this.#listeners.keys()];
  }

  #notify(channel: string, payload: string | undefined): number {
    const listeners = [...(this.#listeners.get(channel) ?? [])];
    for (const listener of listeners) {
      // A listener that has left by then receives nothing.
      this.later(() => this.#listeners.get(channel)?.has(listener) === true && listener(channel, payload));
    }
    return listeners.length;
  }
}
