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
    private readonly grants?: readonly number[],
    /** Why there is no connection. */
    private readonly trouble?: () => string,
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

  /** Whether a row may come of it that replicas have to acknowledge. */
  get isGranting(): boolean {
    return this.grants !== undefined;
  }

  sent(): void {
    this.#sent = true;
  }

  /** @param verdict whether replicas have acknowledged what was granted; a refusal stands whatever they do */
  succeed(reply: unknown, verdict?: Promise<RedisFailure | undefined>): void {
    if (verdict === undefined || !this.#isGrant(reply)) this.#end(() => this.#resolve(reply));
    else
      void verdict.then((failure) =>
        failure === undefined ? this.#end(() => this.#resolve(reply)) : this.fail(failure),
      );
  }

  fail(failure: RedisFailure): void {
    this.#end(() => this.#reject(failure));
  }

  #isGrant(reply: unknown): boolean {
    return this.grants !== undefined && Array.isArray(reply) && this.grants.includes(Number(reply[0]));
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
      const why = this.trouble === undefined ? '' : ` (${this.trouble()})`;
      this.#reject(new RedisFailure('unsent', `no connection within ${this.timeout} ms${why}`));
      return;
    }
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    this.#reject(new RedisFailure('ambiguous', `no answer within ${this.timeout} ms`, undefined, settled));
  }
}
