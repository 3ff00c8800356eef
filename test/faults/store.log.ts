import type { Redis } from 'ioredis';
import { until } from '../support/until.js';

/** One command as Redis ran it, in its order. */
export interface LoggedCommand {
  readonly words: readonly string[];
  /** Whether a script ran it. */
  readonly isInner: boolean;
}

/** What Redis ran about keys with a prefix, in the order in which it ran it (MONITOR). */
export class StoreLog {
  readonly commands: LoggedCommand[] = [];
  #monitor: Redis | undefined;

  constructor(
    private readonly admin: Redis,
    private readonly prefix: string,
  ) {}

  async start(): Promise<void> {
    this.#monitor = await this.admin.monitor();
    this.#monitor.on('monitor', (_time: string, words: string[], source: string) => {
      if (words.some((word) => word.includes(this.prefix)))
        this.commands.push({ words, isInner: source === 'lua' });
    });
  }

  /** Ends the log; everything that Redis ran before is in it. */
  async stop(): Promise<void> {
    const mark = `end of ${this.prefix}`;
    await this.admin.echo(mark);
    await until('the log is complete', () => this.commands.at(-1)?.words.includes(mark) === true);
    this.commands.pop();
    this.#monitor?.disconnect();
  }
}
