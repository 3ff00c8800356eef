import { AsyncLocalStorage } from 'node:async_hooks';
import { TLSSocket } from 'node:tls';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClientPort } from '../client-port/client.port.js';
import type { ConnectionTrouble } from '../client-port/connection.trouble.js';
import type { OpenClient } from '../client-port/open.client.js';
import { RedisFailure } from './redis.failure.js';
import { resetStream } from './stream.reset.js';
import { machine } from '../timing/machine.js';

/** How long a client may take to report that it has ended, in ms: longer than any client waits before it destroys a socket. */
const CLOSE_TIMEOUT = 3000;

/** The least time that a connection gets to become ready once it is open, in ms: a busy machine is slow. */
const LEAST_READY_TIMEOUT = 1000;

/** Pause before a client that ended by itself is connected again, in ms. */
const RECONNECT_PAUSE = 100;

/** Without a socket no `end` will follow: the client waits for its first use, or for its next attempt to connect. */
const SILENT = new Set(['wait', 'reconnecting', 'close', 'end']);

/** Is notified of the state of a connection. @param why the reason */
export interface ConnectionListener {
  /** The connection is away. */
  lost(why: string): void;
  /** The server can be reached, and does not provide what the options demand. */
  refused(why: string): void;
  back(): void;
}

/** The life of one client of the library: connecting, being ready, hanging in the handshake, closing. */
export class ClientLifecycle {
  readonly #ready: (() => void)[] = [];
  readonly #atClose: (() => void)[] = [];
  readonly #outside = AsyncLocalStorage.snapshot();
  #readyTimer: Timer | undefined;
  #reconnectTimer: Timer | undefined;
  #wasReady = false;
  #closed = false;
  readonly client: ClientPort;
  readonly trouble: ConnectionTrouble;

  constructor(
    { client, trouble }: OpenClient<ClientPort>,
    private readonly wheel: TimerWheel,
    /** How long a connection may take to become ready once it is open, in ms. */
    private readonly readyTimeout: number,
    /** For messages; never has a password. */
    readonly address = '',
  ) {
    this.client = client;
    this.trouble = trouble;
    client.on('ready', () => {
      this.wheel.cancel(this.#readyTimer);
      // An earlier error is no reason for a later failure.
      this.trouble.clear();
      this.#wasReady = true;
      for (const listener of this.#ready) listener();
    });
    client.on('connect', () => this.#expectReady());
    client.on('close', () => this.wheel.cancel(this.#readyTimer));
    // A client may end by itself: ioredis gives it up for good when the sentinels report a new master while it requests one from them.
    client.on('end', () => this.#reconnectSoon());
    // Without a listener an `error` event would end the process; each call reports what the error means for its lock.
    client.on('error', (error: unknown) => this.trouble.record(error));
  }

  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  /** Why the last attempt to connect failed. */
  get lastError(): string {
    const { why } = this.trouble;
    if (why !== '') return why;
    if (this.#wasReady) return 'the connection was closed';
    // There is a socket, or the client would be at its next attempt.
    return isInHandshake(this.client) ? 'the server does not answer the TLS handshake' : 'no connection yet';
  }

  /** Why the last attempt to connect failed, with the address. */
  get lastTrouble(): string {
    return this.address === '' ? this.lastError : `${this.address}: ${this.lastError}`;
  }

  /** Calls `listener` each time the connection becomes ready. */
  onReady(listener: () => void): void {
    this.#ready.push(listener);
  }

  /** Notifies once when the connection has been away for longer than `delay` ms, or is refused, with the reason; and once when it is back. */
  watch(delay: number, { lost, refused, back }: ConnectionListener): void {
    let timer: Timer | undefined;
    let isOutageReported = false;
    let isRefusalReported = false;
    this.client.on('close', () => {
      if (this.#closed) return;
      if (this.trouble.isRefusal && !isRefusalReported) {
        this.wheel.cancel(timer);
        [isOutageReported, isRefusalReported] = [true, true];
        refused(this.lastError);
      }
      if (isOutageReported) return;
      timer ??= this.wheel.after(delay, () => {
        isOutageReported = true;
        lost(this.lastError);
      });
    });
    this.onReady(() => {
      this.wheel.cancel(timer);
      timer = undefined;
      if (isOutageReported) back();
      [isOutageReported, isRefusalReported] = [false, false];
    });
    this.#atClose.push(() => this.wheel.cancel(timer));
  }

  /** Starts connecting; the attempts go on until {@link close}. */
  start(): void {
    const { status } = this.client;
    if (this.#closed || (status !== 'wait' && status !== 'end')) return;
    this.#outside(() => void this.client.connect().catch((error: unknown) => this.trouble.record(error)));
  }

  /** @throws RedisFailure when the connection is not ready within `timeout` ms */
  async untilReady(timeout: number): Promise<void> {
    this.start();
    if (this.isReady) return;
    await new Promise<void>((resolve, reject) => {
      const give = () => reject(new RedisFailure('unsent', this.lastError));
      const timer = this.wheel.after(timeout, give);
      this.#atClose.push(() => {
        this.wheel.cancel(timer);
        give();
      });
      this.client.once('ready', () => {
        this.wheel.cancel(timer);
        resolve();
      });
    });
  }

  /** Drops a connection that gives no sign of life and makes a new one. */
  restart(): void {
    if (this.#closed) return;
    resetStream(this.client);
    this.#outside(() => this.client.disconnect(true));
  }

  /** Ends the connection permanently; commands under way are rejected. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.wheel.cancel(this.#readyTimer);
    this.wheel.cancel(this.#reconnectTimer);
    for (const end of this.#atClose.splice(0)) end();
    if (SILENT.has(this.client.status)) {
      this.client.disconnect();
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = this.wheel.after(CLOSE_TIMEOUT, resolve);
      this.client.once('end', () => {
        this.wheel.cancel(timer);
        resolve();
      });
      this.client.disconnect();
    });
  }

  #expectReady(): void {
    this.wheel.cancel(this.#readyTimer);
    const timeout = Math.max(this.readyTimeout, LEAST_READY_TIMEOUT);
    // After a stall of the event loop the connection may be ready, with its event still to be processed.
    this.#readyTimer = this.wheel.after(timeout, () =>
      machine.global.setImmediate(() => !this.isReady && this.restart()),
    );
  }

  #reconnectSoon(): void {
    this.wheel.cancel(this.#reconnectTimer);
    if (!this.#closed) this.#reconnectTimer = this.wheel.after(RECONNECT_PAUSE, () => this.start());
  }
}

/** Whether a client has a socket, and still waits for TLS. */
function isInHandshake(client: object): boolean {
  if (!('stream' in client && 'status' in client) || client.status !== 'connecting') return false;
  const { stream } = client;
  return stream instanceof TLSSocket && !stream.connecting && !stream.destroyed;
}
