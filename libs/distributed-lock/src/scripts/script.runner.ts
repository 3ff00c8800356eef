import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer } from '../redis/acked.calls.js';
import type { CommandConnection } from '../redis/command.connection.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { LuaScript } from './lua.script.js';
import { Operation } from './operation.js';

/** Operations of a call: enough to share the cost of a command, few enough that the first reply comes soon. */
const OPERATIONS_PER_CALL = 16;

/** What a script is run on. */
export interface Invocation {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** Whether its first argument is the command that tells a channel; the connection knows which one that is. */
  readonly publishes?: boolean | undefined;
  /** Arguments that come once per call. Operations with other shared arguments travel in another call. */
  readonly shared?: readonly string[];
  /** The most operations of one call. @default 16 */
  readonly perCall?: number;
  /** The first numbers of rows that grant something, which counts only once replicas have acknowledged it, where that is asked for. */
  readonly grants?: readonly number[] | undefined;
}

interface Queue {
  readonly script: LuaScript;
  readonly publishes: boolean;
  readonly shared: readonly string[];
  readonly perCall: number;
  operations: Operation[];
}

/**
 * Runs scripts by their SHA-1. Operations of one turn of the event loop travel together where their keys may.
 * Nothing is sent twice, but for a script that Redis did not know and therefore did not run.
 */
export class ScriptRunner {
  #queues = new Map<string, Queue>();
  #flushing = false;
  #sweptAt = -Infinity;
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly connection: CommandConnection,
    private readonly wheel: TimerWheel,
    /** How long a caller waits for one round trip, in ms. */
    private readonly timeout: number,
  ) {
    connection.onReady(() => this.#flush());
  }

  /**
   * Runs one operation.
   * @throws RedisFailure `unsent` or `ambiguous` at the deadline, whatever the connection does; `refused` for an error reply
   */
  run(
    script: LuaScript,
    { keys, args, publishes = false, shared = [], perCall = OPERATIONS_PER_CALL, grants }: Invocation,
  ): Promise<unknown> {
    const trouble = () => this.connection.lifecycle.lastError;
    const operation = new Operation(keys, args, this.wheel, this.timeout, grants, trouble);
    const id = `${script.name} ${this.connection.groupOf(keys[0] ?? '')} ${shared.join(' ')}`;
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = { script, publishes, shared, perCall: script.batch ? perCall : 1, operations: [] };
      this.#queues.set(id, queue);
    }
    queue.operations.push(operation);
    if (!this.#flushing) {
      this.#flushing = true;
      this.#outside(() => process.nextTick(() => this.#flush()));
    }
    return operation.reply;
  }

  #flush(): void {
    this.#flushing = false;
    if (!this.connection.isReady) {
      this.connection.lifecycle.start();
      this.#forgetExpired();
      return;
    }
    const queues = this.#queues;
    this.#queues = new Map();
    for (const { script, publishes, shared, perCall, operations } of queues.values()) {
      const common = publishes ? [this.connection.publish, ...shared] : shared;
      for (let from = 0; from < operations.length; from += perCall) {
        const group = operations.slice(from, from + perCall).filter((operation) => !operation.isDone);
        if (group.length > 0) void this.#call(script, common, group);
      }
    }
  }

  /** Callers that gave up while there was no connection leave nothing behind; once per timeout is soon enough. */
  #forgetExpired(): void {
    if (now() - this.#sweptAt < this.timeout) return;
    this.#sweptAt = now();
    for (const [id, queue] of this.#queues) {
      queue.operations = queue.operations.filter((operation) => !operation.isDone);
      if (queue.operations.length === 0) this.#queues.delete(id);
    }
  }

  async #call(script: LuaScript, shared: readonly string[], asked: readonly Operation[]): Promise<void> {
    const isAcked = this.connection.isAcked && asked.some(({ isGranting }) => isGranting);
    let group = asked;
    try {
      if (isAcked) {
        await this.connection.turn(asked[0]?.keys[0] ?? '');
        group = asked.filter((operation) => !operation.isDone);
        if (group.length === 0) return;
      }
      const { reply, verdict } = await this.#send(script, shared, group, isAcked);
      const replies: unknown[] = script.batch && Array.isArray(reply) ? reply : [reply];
      group.forEach((operation, index) => operation.succeed(replies[index], verdict));
      if (replies.some(isReadOnly)) this.connection.demoted();
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.code === 'READONLY') this.connection.demoted();
      // A refusal before execution (NOPERM for one key of many, say) must not fail the neighbours.
      if (failure.kind === 'refused' && group.length > 1)
        for (const operation of group) void this.#call(script, shared, [operation]);
      else for (const operation of group) operation.fail(failure);
    }
  }

  async #send(
    script: LuaScript,
    shared: readonly string[],
    group: readonly Operation[],
    isAcked: boolean,
  ): Promise<Answer> {
    const keys = group.flatMap((operation) => operation.keys);
    const args = [...shared, ...group.flatMap((operation) => operation.args)];
    for (const operation of group) operation.sent();
    try {
      return await this.connection.evalsha(script.sha1, keys, args, isAcked);
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.code !== 'NOSCRIPT') throw error;
      // The node that owns these keys does not know the script, so it did not run; EVAL runs it there and teaches it.
      if (isAcked) await this.connection.turn(keys[0] ?? '');
      return await this.connection.eval(script.text, keys, args, isAcked);
    }
  }
}

/** Scripts catch a refused write, and answer it in the row of its key. */
function isReadOnly(reply: unknown): boolean {
  return Array.isArray(reply) && reply[0] === -1 && String(reply[1]).startsWith('READONLY');
}
