import type { MemoryChannels } from '../../../libs/distributed-lock/src/memory/memory.channels.js';
import { fromBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import type { SimulatedProcess } from '../simulated.process.js';
import type { ServerConnection } from '../simulated.server.js';
import type { TcpEnd } from './byte.wire.js';
import { COMMANDS, whyRefused, type ServerClient } from './server.commands.js';
import type { ServerFront } from './server.front.js';
import { CommandReader, errorOf, pushOf, type Protocol } from './resp.text.js';
import type { SimulatedTcp } from './simulated.tcp.js';

/** The server's end of one connection. */
export class ServerSession implements TcpEnd, ServerConnection, ServerClient {
  readonly process: SimulatedProcess;
  protocol: Protocol = 2;
  isAuthenticated: boolean;
  name = '';
  readonly channels = new Set<string>();
  readonly #reader = new CommandReader();
  #output = '';
  #isOpen = true;
  #tcp: SimulatedTcp | undefined;

  constructor(
    readonly front: ServerFront,
    /** For the trace. */
    readonly id: string,
  ) {
    this.process = front.server.process;
    this.isAuthenticated = front.password === undefined;
  }

  get #channelsOfServer(): MemoryChannels {
    return this.front.server.store.channels;
  }

  accept(tcp: SimulatedTcp): void {
    this.#tcp = tcp;
    this.front.server.connections.add(this);
    if (this.front.fullUntil <= this.front.world.now) return;
    this.#write(errorOf('ERR max number of clients reached'));
    this.close();
  }

  received(bytes: string): boolean {
    if (!this.#isOpen) return false;
    for (const words of this.#reader.read(bytes)) {
      if (!this.#isOpen) break;
      this.#write(this.#answer(words));
    }
    return true;
  }

  ended(): void {
    this.close();
  }

  broken(): void {
    this.#forget();
  }

  /** The process of the server ends: its kernel ends the stream, or resets it. */
  cut(): void {
    this.#output = '';
    if (this.front.chance(0.5)) this.close();
    else this.#tcp?.cut();
    this.#forget();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#flush();
    this.#forget();
    this.#tcp?.toClient.end();
  }

  subscribe(channel: string): void {
    if (this.channels.has(channel)) return;
    this.channels.add(channel);
    this.#channelsOfServer.subscribe(channel, this.#receive);
  }

  unsubscribe(channel: string): void {
    if (this.channels.delete(channel)) this.#channelsOfServer.unsubscribe(channel, this.#receive);
  }

  #answer(words: readonly string[]): string {
    const [name = '', ...args] = words;
    const verb = name.toUpperCase();
    const command = COMMANDS[verb];
    const refusal = command === undefined ? `ERR unknown command '${name}'` : whyRefused(this, verb);
    const reply = refusal === undefined ? (command?.(this, args) ?? '') : errorOf(refusal);
    const { world } = this.front;
    world.note(`${this.id} ${verb} ${shown(verb, args)}: ${reply.replaceAll('\r\n', ' ')}`);
    return reply;
  }

  readonly #receive = (channel: string, payload: string | undefined): void => {
    if (payload === undefined) return;
    this.#write(pushOf(['message', fromBytes(channel), fromBytes(payload)], this.protocol));
  };

  /** All that is written in one turn of the server goes out at once. */
  #write(bytes: string): void {
    if (this.#output === '') process.nextTick(() => this.#flush());
    this.#output += bytes;
  }

  #flush(): void {
    const bytes = this.#output;
    this.#output = '';
    if (bytes !== '' && this.#isOpen) this.#tcp?.toClient.send(bytes);
  }

  #forget(): void {
    this.#isOpen = false;
    for (const channel of [...this.channels]) this.unsubscribe(channel);
    this.front.server.connections.delete(this);
  }
}

/** The arguments for the trace: a script by the beginning of its SHA-1 or text. */
function shown(verb: string, [first = '', ...rest]: readonly string[]): string {
  const start = verb.startsWith('EVAL') ? JSON.stringify(first.slice(0, 8)) : first;
  return [start, ...rest].join(' ');
}
