import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { NodePort } from '../client-port/client.port.js';
import { retryPause } from '../client-port/retry.pause.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { OneConnection } from './one.connection.js';
import type { RawClient, RawListener } from './raw.client.js';
import { checkReady, type Demands } from './ready.check.js';
import { offline } from './reply.failure.js';

/** What a {@link NodeClient} is made of. */
export interface NodeClientParts {
  readonly wheel: TimerWheel;
  readonly demands: Demands;
  /** Makes the client for the next connection, which takes long where sentinels are asked for the address. */
  readonly make: (signal: AbortSignal) => RawClient | Promise<RawClient>;
  /**
   * Whether it makes one connection, and no other one after it: then commands wait until that is there, or has failed. So a cluster replaces
   * the clients of its nodes. @default false
   */
  readonly isOnce?: boolean;
}

/** The client of one server: one connection after the other, each by a client of the `redis` package of its own. */
export class NodeClient extends EventEmitter implements NodePort {
  status = 'wait';
  #connection: OneConnection | undefined;
  /** Of the current attempt to connect, or the current connection. */
  #abort: AbortController | undefined;
  #attempts = 0;
  #retry: Timer | undefined;
  /** Resolves when the first connection is there, or has failed. */
  #settled: Promise<void> | undefined;
  readonly #onMessage: RawListener = (message, channel) => this.emit('message', channel, message);
  readonly #onShardedMessage: RawListener = (message, channel) => this.emit('smessage', channel, message);

  constructor(private readonly parts: NodeClientParts) {
    super();
    this.setMaxListeners(0);
  }

  /** The socket, where it is known: a connection that is given up is reset. */
  get stream(): Socket | undefined {
    return this.#connection?.socket;
  }

  connect(): Promise<void> {
    if (this.status !== 'wait' && this.status !== 'end') return this.#settled ?? Promise.resolve();
    this.#attempts = 0;
    this.#settled = this.#open();
    return this.#settled;
  }

  disconnect(reconnect = false): void {
    this.parts.wheel.cancel(this.#retry);
    if (reconnect && this.status === 'wait') return;
    const wasOpen = this.#connection !== undefined || this.status === 'connecting';
    this.#hangUp();
    if (wasOpen) this.#become('close');
    if (reconnect && this.parts.isOnce !== true) this.#reconnect();
    else if (this.status !== 'end') this.#become('end');
  }

  evalsha(sha1: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.send(['EVALSHA', sha1, `${numberOfKeys}`, ...rest]);
  }

  eval(text: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.send(['EVAL', text, `${numberOfKeys}`, ...rest]);
  }

  subscribe(...channels: string[]): Promise<unknown> {
    return this.#when((connection) => connection.subscribe(false, channels, this.#onMessage));
  }

  unsubscribe(...channels: string[]): Promise<unknown> {
    return this.#when((connection) => connection.unsubscribe(false, channels, this.#onMessage));
  }

  ssubscribe(...channels: string[]): Promise<unknown> {
    return this.#when((connection) => connection.subscribe(true, channels, this.#onShardedMessage));
  }

  sunsubscribe(...channels: string[]): Promise<unknown> {
    return this.#when((connection) => connection.unsubscribe(true, channels, this.#onShardedMessage));
  }

  pubsub(subcommand: string): Promise<unknown> {
    return this.send(['PUBSUB', subcommand]);
  }

  ping(): Promise<unknown> {
    return this.send(['PING']);
  }

  info(section: string): Promise<unknown> {
    return this.send(['INFO', section]);
  }

  wait(replicas: number, timeout: number): Promise<unknown> {
    return this.send(['WAIT', `${replicas}`, `${timeout}`]);
  }

  asking(): Promise<unknown> {
    return this.send(['ASKING']);
  }

  call(command: string, ...args: string[]): Promise<unknown> {
    return this.send([command, ...args]);
  }

  /** Writes a command, at most once. @throws RedisFailure */
  send(words: readonly string[]): Promise<unknown> {
    return this.#when((connection) => connection.send(words));
  }

  #when(run: (connection: OneConnection) => Promise<unknown>): Promise<unknown> {
    if (this.status === 'ready' && this.#connection !== undefined) return run(this.#connection);
    if (this.parts.isOnce !== true || this.status === 'end') return Promise.reject(offline());
    return this.#afterFirst(run);
  }

  async #afterFirst(run: (connection: OneConnection) => Promise<unknown>): Promise<unknown> {
    await this.connect();
    if (this.status !== 'ready' || this.#connection === undefined) throw offline();
    return await run(this.#connection);
  }

  /** Never rejects: a failure is an event. */
  async #open(): Promise<void> {
    this.#become('connecting');
    const abort = new AbortController();
    const attempt = (this.#abort = abort);
    try {
      const client = await this.parts.make(abort.signal);
      if (this.#abort !== attempt) return;
      const connection = new OneConnection(client, abort, {
        connected: () => this.#become('connect'),
        lost: (error) => this.#lost(attempt, error),
        moved: () => this.emit('moved'),
      });
      this.#connection = connection;
      await connection.open();
      await checkReady(connection, this.parts.demands);
      if (this.#abort !== attempt) return;
      this.#attempts = 0;
      this.#become('ready');
    } catch (error) {
      this.#lost(attempt, error);
    }
  }

  #lost(attempt: AbortController, error: unknown): void {
    if (this.#abort !== attempt) return;
    this.#hangUp();
    if (this.listenerCount('error') > 0) this.emit('error', error);
    this.#become('close');
    if (this.parts.isOnce === true) this.#become('end');
    else this.#reconnect();
  }

  #hangUp(): void {
    // First: a socket that is aborted cannot be reset any more.
    this.#connection?.close();
    this.#connection = undefined;
    this.#abort?.abort();
    this.#abort = undefined;
  }

  #reconnect(): void {
    // A listener may have closed it.
    if (this.status === 'end') return;
    this.#attempts += 1;
    this.#become('reconnecting');
    const { wheel } = this.parts;
    wheel.cancel(this.#retry);
    this.#retry = wheel.after(retryPause(this.#attempts), () => {
      this.#settled = this.#open();
    });
  }

  #become(status: string): void {
    this.status = status;
    this.emit(status);
  }
}
