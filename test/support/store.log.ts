import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { RespReader } from './faults/resp.reader.js';
import { until } from './until.js';

/** One command as Redis ran it, in its order. */
export interface LoggedCommand {
  readonly words: readonly string[];
  /** Whether a script ran it. */
  readonly isInner: boolean;
}

const WORD = /"((?:[^"\\]|\\.)*)"/g;
const INNER = /^[\d.]+ \[\d+ lua\]/;

/**
 * What Redis ran about keys with a prefix, in the order in which it ran it (MONITOR). On a socket of its own: a client
 * that takes the first line of the log for the answer to its command does not survive a busy server.
 */
export class StoreLog {
  readonly commands: LoggedCommand[] = [];
  readonly #reader = new RespReader();
  #socket: Socket | undefined;
  #isOn = false;
  #cuts = 0;

  constructor(
    private readonly admin: Redis,
    private readonly port: number,
    private readonly prefix: string,
  ) {}

  async start(): Promise<void> {
    const socket = connect(this.port, this.admin.options.host ?? '127.0.0.1');
    this.#socket = socket;
    await once(socket, 'connect');
    socket.on('data', (chunk) => {
      for (const { value } of this.#reader.read(chunk)) this.#take(String(value));
    });
    socket.write('MONITOR\r\n');
    await until('the log has begun', () => this.#isOn);
  }

  /** Everything that Redis ran until now, and no longer part of the log. */
  async cut(): Promise<LoggedCommand[]> {
    this.#cuts += 1;
    const mark = `cut ${this.#cuts} of ${this.prefix}`;
    await this.admin.echo(mark);
    const end = () => this.commands.findIndex(({ words }) => words.includes(mark));
    await until('the log is complete', () => end() >= 0);
    const commands = this.commands.splice(0, end());
    this.commands.shift();
    return commands;
  }

  /** Ends the log; everything that Redis ran before is in it. */
  async stop(): Promise<void> {
    const commands = await this.cut();
    this.close();
    // Others went on meanwhile.
    this.commands.splice(0, this.commands.length, ...commands);
  }

  /** Ends the log at once. */
  close(): void {
    this.#socket?.destroy();
  }

  #take(line: string): void {
    if (line === 'OK') this.#isOn = true;
    if (!line.includes(this.prefix)) return;
    const words = [...line.matchAll(WORD)].map(([, word = '']) => word.replaceAll(/\\(["\\])/g, '$1'));
    this.commands.push({ words, isInner: INNER.test(line) });
  }
}
