import { AsyncLocalStorage } from 'node:async_hooks';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClientPort } from './client.port.js';
import { RedisFailure } from './redis.failure.js';

/** What a client may take to say that it has ended, in ms: longer than ioredis waits before it destroys a socket. */
const LONGEST_FAREWELL = 3000;

/** Least time that a connection gets to become ready once it is there, in ms: a busy machine takes its time. */
const LEAST_PATIENCE = 1000;

/** Pause before a client that ended by itself is connected again, in ms. */
const REVIVAL = 100;

/** Without a socket there is no `end` to come: ioredis waits for its first use, or for its next attempt to connect. */
const SILENT = new Set(['wait', 'reconnecting', 'close', 'end']);

/** The life of one client of ours: connecting, being ready, hanging in the handshake, closing. */
export class ClientLifecycle {
  readonly #ready: (() => void)[] = [];
  readonly #atClose: (() => void)[] = [];
  readonly #outside = AsyncLocalStorage.snapshot();
  #handshake: Timer | undefined;
  #revival: Timer | undefined;
  #lastError = 'no connection yet';
  #closed = false;

  constructor(
    readonly client: ClientPort,
    private readonly wheel: TimerWheel,
    /** How long a connection may take to become ready once it is there, in ms. */
    private readonly patience: number,
  ) {
    client.on('ready', () => {
      this.wheel.cancel(this.#handshake);
      // What went wrong before is no reason for what goes wrong from now on.
      this.#lastError = 'the connection was closed';
      for (const listener of this.#ready) listener();
    });
    client.on('connect', () => this.#expectReady());
    client.on('close', () => this.wheel.cancel(this.#handshake));
    // By itself: ioredis gives a client up for good when the sentinels tell of a new master while it asks them for one.
    client.on('end', () => this.#reviveSoon());
    // Without a listener an `error` event would end the process; what it means for a lock is told by each call.
    client.on('error', (error: string) => {
      this.#lastError = String(error).replace(/^\w*Error: /, '');
    });
  }

  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  /** Why the last attempt to connect failed. */
  get lastError(): string {
    return this.#lastError;
  }

  /** Calls `listener` each time the connection becomes ready. */
  onReady(listener: () => void): void {
    this.#ready.push(listener);
  }

  /** Tells once when the connection has been away for longer than `patience` ms, with why, and once when it is back. */
  watch(patience: number, lost: (why: string) => void, back: () => void): void {
    let timer: Timer | undefined;
    let isTold = false;
    this.client.on('close', () => {
      if (this.#closed || isTold) return;
      timer ??= this.wheel.after(patience, () => {
        isTold = true;
        lost(this.#lastError);
      });
    });
    this.onReady(() => {
      this.wheel.cancel(timer);
      timer = undefined;
      if (isTold) back();
      isTold = false;
    });
    this.#atClose.push(() => this.wheel.cancel(timer));
  }

  /** Starts connecting; it goes on by itself until {@link close}. */
  start(): void {
    const { status } = this.client;
    if (this.#closed || (status !== 'wait' && status !== 'end')) return;
    this.#outside(() => void this.client.connect().catch(() => undefined));
  }

  /** @throws RedisFailure when the connection is not ready within `timeout` ms */
  async untilReady(timeout: number): Promise<void> {
    this.start();
    if (this.isReady) return;
    await new Promise<void>((resolve, reject) => {
      const give = () => reject(new RedisFailure('unsent', this.#lastError));
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
    if (!this.#closed) this.#outside(() => this.client.disconnect(true));
  }

  /** Ends the connection for good; what is under way is rejected. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.wheel.cancel(this.#handshake);
    this.wheel.cancel(this.#revival);
    for (const end of this.#atClose.splice(0)) end();
    if (SILENT.has(this.client.status)) {
      this.client.disconnect();
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = this.wheel.after(LONGEST_FAREWELL, resolve);
      this.client.once('end', () => {
        this.wheel.cancel(timer);
        resolve();
      });
      this.client.disconnect();
    });
  }

  #expectReady(): void {
    this.wheel.cancel(this.#handshake);
    const patience = Math.max(this.patience, LEAST_PATIENCE);
    // After a stall of the event loop it may be ready, and only wants to be told.
    this.#handshake = this.wheel.after(patience, () => setImmediate(() => !this.isReady && this.restart()));
  }

  #reviveSoon(): void {
    this.wheel.cancel(this.#revival);
    if (!this.#closed) this.#revival = this.wheel.after(REVIVAL, () => this.start());
  }
}
