import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { resetStream } from '../redis/stream.reset.js';
import type { RawClient, RawListener } from './raw.client.js';
import { failureOf } from './reply.failure.js';

/** Node reports each socket that is made by `net.connect()` here. */
const SOCKETS = channel('net.client.socket');

/** Is notified of what happens on a connection, until it is closed. */
export interface ConnectionEvents {
  /** The connection is open, and its handshake is under way. */
  connected(): void;
  /** The connection is away for good. */
  lost(error: unknown): void;
  /** The server does not serve some sharded channel any more. */
  moved(): void;
}

/**
 * One connection to Redis, by a client of the `redis` package that is used for it alone: so nothing of it can be sent, or subscribed, again
 * on a later connection.
 */
export class OneConnection {
  #isClosed = false;
  #fail: (error: unknown) => void = () => undefined;
  #socket: Socket | undefined;
  readonly #failed: Promise<never>;

  /** @param abort closes the client's socket, in whatever state it is */
  constructor(
    private readonly client: RawClient,
    private readonly abort: AbortController,
    private readonly events: ConnectionEvents,
  ) {
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => undefined);
    client.on('connect', () => {
      // Of a client that is given up while it connects only its socket can be closed.
      if (this.#isClosed) this.#destroy();
      else this.events.connected();
    });
    client.on('error', (error) => this.#lose(error));
    // A server that ends a connection in an orderly way.
    client.on('end', () => this.#lose(new Error('the connection was closed')));
    client.on('sharded-channel-moved', () => this.events.moved());
  }

  /** The socket; undefined for TLS, and where Node does not report it. */
  get socket(): Socket | undefined {
    return this.#socket;
  }

  /** Connects, and runs the handshake of the client. @throws the reason of a failure, after `lost` was called */
  async open(): Promise<void> {
    await Promise.race([this.#connect(), this.#failed]);
  }

  /** Writes a command, at most once. @throws RedisFailure */
  send(words: readonly string[]): Promise<unknown> {
    return this.#mapped(this.client.sendCommand(words));
  }

  /** @throws RedisFailure */
  subscribe(isSharded: boolean, channels: string[], listener: RawListener): Promise<unknown> {
    const { client } = this;
    return this.#mapped(
      isSharded ? client.sSubscribe(channels, listener) : client.subscribe(channels, listener),
    );
  }

  /** @throws RedisFailure */
  unsubscribe(isSharded: boolean, channels: string[], listener: RawListener): Promise<unknown> {
    const { client } = this;
    return this.#mapped(
      isSharded ? client.sUnsubscribe(channels, listener) : client.unsubscribe(channels, listener),
    );
  }

  /** Closes the connection at once, and reports nothing more; commands without an answer are rejected. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fail(new Error('the connection was closed'));
    // What the server has not received yet must not arrive after its caller was notified of the failure.
    resetStream({ stream: this.#socket });
    this.#destroy();
    this.abort.abort();
  }

  #connect(): Promise<unknown> {
    const capture = (message: unknown) => {
      const socket: unknown = Object(message).socket;
      if (socket instanceof Socket) this.#socket = socket;
    };
    // The client makes its socket in this call, and does not show it.
    SOCKETS.subscribe(capture);
    try {
      return this.client.connect();
    } catch (error) {
      return Promise.reject(error);
    } finally {
      SOCKETS.unsubscribe(capture);
    }
  }

  #lose(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#destroy();
    this.abort.abort();
    this.#fail(error);
    this.events.lost(error);
  }

  #destroy(): void {
    try {
      this.client.destroy();
    } catch {
      // It has ended by itself.
    }
  }

  async #mapped(reply: Promise<unknown>): Promise<unknown> {
    try {
      return await reply;
    } catch (error) {
      throw failureOf(error, !this.#isClosed);
    }
  }
}
