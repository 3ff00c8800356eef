import { RedisFailure } from '../redis/redis.failure.js';
import { Deadline, type DeadlineQueue } from '../timing/deadline.queue.js';
import type { LuaScript } from './lua.script.js';
import type { LateAnswer, ReplyCallback } from '../replies/reply.callback.js';
import { ReplyReader } from '../replies/reply.reader.js';
import type { Sending } from './sending.js';
import { machine } from '../timing/machine.js';

/** What one operation of a script asks of Redis. */
export interface ScriptRequest<T> {
  readonly script: LuaScript;
  /** The first is the lock, which errors name. */
  readonly keys: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** Converts the row to the result of the caller; an error that it throws rejects the operation. */
  readonly read: (reply: ReplyReader) => T;
  readonly sending?: Sending;
}

/** The members of the sender that an operation uses. */
export interface Sender {
  /** How long a caller waits for one round trip, in ms. */
  readonly timeout: number;
  /** Why there is no connection. */
  readonly trouble: string;
  /** The deadlines of the operations that are under way. */
  readonly deadlines: Pick<DeadlineQueue, 'end'>;
}

/** One operation of a script on its way to Redis and back, with the library's own deadline for its caller. */
export class Operation<T = unknown> extends Deadline {
  /** Receives what comes after the deadline; undefined before it. */
  private settle: ((answer: Awaited<LateAnswer<T>>) => void) | undefined;
  private wasSent = false;
  private hasEnded = false;

  constructor(
    readonly request: ScriptRequest<T>,
    private readonly callback: ReplyCallback<T>,
    private readonly sender: Sender,
  ) {
    super();
  }

  /** Whether the caller already has its result, or has no use for it; an operation that is not sent by then must not be sent. */
  get isDone(): boolean {
    // Each lock is asked twice: without a further call.
    return this.hasEnded || this.callback.isOutdated?.() === true;
  }

  /** Whether it must have no effect any more: a renewal of a lease that was lost. */
  get isOutdated(): boolean {
    return this.callback.isOutdated?.() === true;
  }

  /** Whether the operation may have a row that replicas have to acknowledge. */
  get isGranting(): boolean {
    return this.request.sending?.grants !== undefined;
  }

  sent(): void {
    this.wasSent = true;
  }

  /** @param verdict whether replicas have acknowledged the grant; a refusal stands in any case */
  succeed(row: unknown, verdict?: Promise<RedisFailure | undefined>): void {
    if (verdict === undefined || !this.isGrant(row)) this.report(row);
    else void verdict.then((failure) => (failure === undefined ? this.report(row) : this.fail(failure)));
  }

  fail(failure: RedisFailure): void {
    if (this.end()) this.refuse(failure);
    else this.settle?.(failure);
  }

  /** After a stall of the event loop the reply may have arrived already, unread. */
  expire(): void {
    machine.global.setImmediate(() => this.giveUp());
  }

  private report(row: unknown): void {
    if (!this.end()) {
      this.settle?.(this.readLate(row));
      return;
    }
    const { read, script, keys } = this.request;
    let reply: T;
    try {
      reply = read(ReplyReader.of(script.name, keys[0], row));
    } catch (error) {
      this.refuse(error);
      return;
    }
    try {
      this.callback.answered(reply);
    } catch (error) {
      raiseLater(error);
    }
  }

  private readLate(row: unknown): Awaited<LateAnswer<T>> {
    const { read, script, keys } = this.request;
    try {
      return { reply: read(ReplyReader.of(script.name, keys[0], row)) };
    } catch (error) {
      return RedisFailure.from(error);
    }
  }

  private refuse(error: unknown, late?: LateAnswer<T>): void {
    try {
      this.callback.failed(error, late);
    } catch (thrown) {
      raiseLater(thrown);
    }
  }

  private isGrant(row: unknown): boolean {
    return this.request.sending?.grants?.includes(Number(Array.isArray(row) ? row[0] : row)) === true;
  }

  /** @returns false when the caller already has its result */
  private end(): boolean {
    if (this.hasEnded) return false;
    this.hasEnded = true;
    this.sender.deadlines.end(this);
    return true;
  }

  private giveUp(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { timeout, trouble } = this.sender;
    if (!this.wasSent) {
      const why = trouble === '' ? '' : ` (${trouble})`;
      this.refuse(new RedisFailure('unsent', `no connection within ${timeout} ms${why}`));
      return;
    }
    const late: LateAnswer<T> = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.refuse(new RedisFailure('ambiguous', `no answer within ${timeout} ms`, { settled: late }), late);
  }
}

/** A callback that throws, which it must not do, keeps no other operation of its call from its answer. */
function raiseLater(error: unknown): void {
  machine.global.queueMicrotask(() => {
    throw error;
  });
}

/** An operation with any type of result. */
export type RequestedOperation = Pick<
  Operation,
  'request' | 'isDone' | 'isOutdated' | 'isGranting' | 'sent' | 'succeed' | 'fail'
>;
