import { RedisFailure } from '../redis/redis.failure.js';
import { Deadline } from '../timing/deadline.line.js';

/** What an operation needs of whoever sends it. */
export interface Sender {
  /** How long a caller waits for one round trip, in ms. */
  readonly timeout: number;
  /** Why there is no connection. */
  readonly trouble: string;
  /** It needs no deadline any more. */
  ended(operation: Deadline): void;
}

/** One operation of a script on its way to Redis and back, with a deadline of ours for its caller. */
export class Operation<T = unknown> extends Deadline {
  readonly reply: Promise<T>;
  #resolve!: (reply: T) => void;
  #reject!: (failure: unknown) => void;
  #settle: (() => void) | undefined;
  #sent = false;
  #done = false;

  constructor(
    readonly keys: readonly string[],
    readonly args: readonly string[],
    /** Makes of a row what its caller wants to know. */
    private readonly read: (row: unknown) => T,
    private readonly sender: Sender,
    private readonly grants: readonly number[] | undefined,
  ) {
    super();
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
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
  succeed(row: unknown, verdict?: Promise<RedisFailure | undefined>): void {
    if (verdict === undefined || !this.#isGrant(row)) this.#tell(row);
    else void verdict.then((failure) => (failure === undefined ? this.#tell(row) : this.fail(failure)));
  }

  fail(failure: RedisFailure): void {
    if (this.#end()) this.#reject(failure);
  }

  /** After a stall of the event loop the reply may have come already, and only wants to be read. */
  expire(): void {
    setImmediate(() => this.#giveUp());
  }

  #tell(row: unknown): void {
    if (!this.#end()) return;
    try {
      this.#resolve(this.read(row));
    } catch (error) {
      this.#reject(error);
    }
  }

  #isGrant(row: unknown): boolean {
    return this.grants?.includes(Number(Array.isArray(row) ? row[0] : row)) === true;
  }

  /** @returns false when the caller was told before */
  #end(): boolean {
    this.#settle?.();
    if (this.#done) return false;
    this.#done = true;
    this.sender.ended(this);
    return true;
  }

  #giveUp(): void {
    if (this.#done) return;
    this.#done = true;
    const { timeout, trouble } = this.sender;
    if (!this.#sent) {
      const why = trouble === '' ? '' : ` (${trouble})`;
      this.#reject(new RedisFailure('unsent', `no connection within ${timeout} ms${why}`));
      return;
    }
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    this.#reject(new RedisFailure('ambiguous', `no answer within ${timeout} ms`, undefined, settled));
  }
}

/** An operation, whatever its caller wants to know. */
export type Asked = Pick<Operation, 'keys' | 'args' | 'isDone' | 'isGranting' | 'sent' | 'succeed' | 'fail'>;
