import { RedisFailure } from '../redis/redis.failure.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** One operation of a script on its way to Redis and back, with a deadline of ours for its caller. */
export class Operation {
  readonly reply: Promise<unknown>;
  #resolve!: (reply: unknown) => void;
  #reject!: (failure: RedisFailure) => void;
  #settle: (() => void) | undefined;
  #timer: Timer | undefined;
  #sent = false;
  #done = false;

  constructor(
    readonly keys: readonly string[],
    readonly args: readonly string[],
    private readonly wheel: TimerWheel,
    private readonly timeout: number,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // After a stall of the event loop the reply may have come already, and only wants to be read.
    this.#timer = wheel.after(timeout, () => setImmediate(() => this.#expire()));
  }

  /** Whether the caller was told already; what is not sent by then must not be sent. */
  get isDone(): boolean {
    return this.#done;
  }

  sent(): void {
    this.#sent = true;
  }

  succeed(reply: unknown): void {
    this.#end(() => this.#resolve(reply));
  }

  fail(failure: RedisFailure): void {
    this.#end(() => this.#reject(failure));
  }

  #end(tell: () => void): void {
    this.#settle?.();
    if (this.#done) return;
    this.#done = true;
    this.wheel.cancel(this.#timer);
    tell();
  }

  #expire(): void {
    if (this.#done) return;
    this.#done = true;
    if (!this.#sent) {
      this.#reject(new RedisFailure('unsent', `no connection within ${this.timeout} ms`));
      return;
    }
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    this.#reject(new RedisFailure('ambiguous', `no answer within ${this.timeout} ms`, undefined, settled));
  }
}
