/** Sends commands for channels. */
interface ChannelCommands {
  /** @returns the channels that failed, and why */
  subscribe(channels: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  unsubscribe(channels: readonly string[]): void;
}

/** Sends one UNSUBSCRIBE, and then one SUBSCRIBE, for all channels that end or begin at one moment. */
export class SubscriptionBatch {
  #ended: string[] = [];
  #begun: string[] = [];
  #sent: Promise<ReadonlyMap<string, unknown>> | undefined;

  constructor(private readonly commands: ChannelCommands) {}

  /** @returns resolves when Redis has acknowledged the channel */
  async subscribe(channel: string): Promise<void> {
    this.#begun.push(channel);
    const failures = await this.#send();
    if (failures.has(channel)) throw failures.get(channel);
  }

  unsubscribe(channel: string): void {
    const index = this.#begun.indexOf(channel);
    if (index >= 0) this.#begun.splice(index, 1);
    else this.#ended.push(channel);
    void this.#send();
  }

  #send(): Promise<ReadonlyMap<string, unknown>> {
    return (this.#sent ??= Promise.resolve().then(() => this.#sendAll()));
  }

  #sendAll(): Promise<ReadonlyMap<string, unknown>> {
    const [ended, begun] = [this.#ended, this.#begun];
    this.#ended = [];
    this.#begun = [];
    this.#sent = undefined;
    if (ended.length > 0) this.commands.unsubscribe(ended);
    return begun.length > 0 ? this.commands.subscribe(begun) : Promise.resolve(new Map());
  }
}
