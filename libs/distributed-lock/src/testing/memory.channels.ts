/** Hears a channel. */
export type ChannelEar = (channel: string, payload: string) => void;

/** The channels of a memory store. */
export class MemoryChannels {
  readonly #ears = new Map<string, Set<ChannelEar>>();

  constructor(
    /** Runs what has to come after the command that is under way. */
    private readonly later: (run: () => void) => void,
  ) {}

  subscribe(channel: string, ear: ChannelEar): void {
    this.#ears.set(channel, (this.#ears.get(channel) ?? new Set()).add(ear));
  }

  unsubscribe(channel: string, ear: ChannelEar): void {
    const ears = this.#ears.get(channel);
    ears?.delete(ear);
    if (ears?.size === 0) this.#ears.delete(channel);
  }

  /** @returns how many it reaches, a little later */
  publish(channel: string, payload: string): number {
    const ears = [...(this.#ears.get(channel) ?? [])];
    for (const ear of ears) {
      // Whoever has left by then hears nothing.
      this.later(() => this.#ears.get(channel)?.has(ear) === true && ear(channel, payload));
    }
    return ears.length;
  }

  listeners(channel: string): number {
    return this.#ears.get(channel)?.size ?? 0;
  }

  names(): string[] {
    return [...this.#ears.keys()];
  }
}
