import { EventEmitter } from 'node:events';
import type { ClientPort } from '../../libs/distributed-lock/src/client-port/client.port.js';

/** One command on its way: the test answers it, or does not. */
export interface Command {
  readonly name: string;
  readonly args: readonly string[];
  answer(reply?: unknown): void;
  fail(error: Error): void;
}

/** A client of ioredis as the library sees it, without a server: it connects when the test says so, and keeps what it is asked. */
export class FakeClient implements ClientPort {
  status = 'wait';
  readonly sent: Command[] = [];
  readonly #events = new EventEmitter();

  connect(): Promise<void> {
    this.status = 'connecting';
    return Promise.resolve();
  }

  disconnect(): void {
    this.#become('end', 'close', 'end');
  }

  /** The connection can be used. */
  ready(): void {
    this.#become('ready', 'connect', 'ready');
  }

  /** The connection broke. */
  cut(): void {
    this.#become('reconnecting', 'close');
  }

  message(channel: string, payload: string): void {
    this.#events.emit('message', channel, payload);
  }

  evalsha(sha1: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.#send('evalsha', [sha1, `${numberOfKeys}`, ...rest]);
  }

  eval(text: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.#send('eval', [text, `${numberOfKeys}`, ...rest]);
  }

  subscribe(...channels: string[]): Promise<unknown> {
    return this.#send('subscribe', channels);
  }

  unsubscribe(...channels: string[]): Promise<unknown> {
    return this.#send('unsubscribe', channels);
  }

  ssubscribe(...channels: string[]): Promise<unknown> {
    return this.#send('ssubscribe', channels);
  }

  sunsubscribe(...channels: string[]): Promise<unknown> {
    return this.#send('sunsubscribe', channels);
  }

  pubsub(subcommand: string): Promise<unknown> {
    return this.#send('pubsub', [subcommand]);
  }

  info(section: string): Promise<unknown> {
    return this.#send('info', [section]);
  }

  ping(): Promise<unknown> {
    return this.#send('ping', []);
  }

  on(event: string, listener: (...values: string[]) => void): void {
    this.#events.on(event, listener);
  }

  once(event: string, listener: () => void): void {
    this.#events.once(event, listener);
  }

  /** The commands of that name, without those that were taken before. */
  take(name: string): Command[] {
    const taken = this.sent.filter((command) => command.name === name);
    for (const command of taken) this.sent.splice(this.sent.indexOf(command), 1);
    return taken;
  }

  #send(name: string, args: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.sent.push({ name, args, answer: resolve, fail: reject });
    });
  }

  #become(status: string, ...events: readonly string[]): void {
    this.status = status;
    for (const event of events) this.#events.emit(event);
  }
}
