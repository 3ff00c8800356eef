import { AsyncResource } from 'node:async_hooks';
import type { Commands } from '../connections/command.contract.js';
import { DeadlineQueue } from '../timing/deadline.queue.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { LuaScript } from './lua.script.js';
import { Operation, type RequestedOperation, type ScriptRequest, type Sender } from './operation.js';
import { promised, promisedLate, type ReplyCallback } from '../replies/reply.callback.js';
import { openOf, ScriptCall } from './script.call.js';
import type { Sending } from './sending.js';
import { machine } from '../timing/machine.js';

/** Operations per call: enough to share the cost of a command, few enough that the first reply comes soon. */
const OPERATIONS_PER_CALL = 16;

/** Its continuations run in the same microtask queue, before any other callback. */
const SETTLED = Promise.resolve();

/** An empty list that is never filled: a new one is made for the first operation. */
const NONE: RequestedOperation[] = [];

const DEFAULTS: Sending = {};

/** Operations that may share a call. */
interface Queue {
  readonly script: LuaScript;
  readonly sending: Sending;
  /** The numbers that are sent once per call. */
  readonly numbers: readonly string[];
  operations: RequestedOperation[];
}

/** The queues of one script, by their shared numbers. */
type Queues = Map<string, Queue>;

/** The number of groups, and of queues of a script, that are kept for later: a cluster has groups, and callers leases, without end. */
const KEPT = 64;

/**
 * Runs scripts by their SHA-1. Operations of one turn of the event loop are batched if their keys allow it; with a single sequential
 * caller they are sent in the same microtask.
 * Nothing is sent twice, except a script that Redis did not know and therefore did not run.
 */
export class ScriptRunner implements Sender {
  /** By the group of their keys, the script, and their shared numbers. Most are empty, and are kept because they will be used again. */
  readonly #queues = new Map<number, Map<LuaScript, Queues>>();
  /** The queues of scripts that have too many: by the next turn their operations are on their way, or stand in `#filled`. */
  #crowded: Queues[] = [];
  /** The queues with operations. */
  #filled: Queue[] = [];
  #flushing = false;
  /** Whether the last operation that was sent was the only one of its turn. */
  #isLone = false;
  #sweptAt = -Infinity;
  readonly deadlines: DeadlineQueue;
  /** Outside of any caller's async context. A snapshot would do, and makes two lists each time. */
  readonly #outside = new AsyncResource('DistributedLock');
  readonly #flushNow = this.#flush.bind(this);
  readonly #flushNext = () => void SETTLED.then(this.#flushNow);
  readonly #flushSoon = () => machine.own.nextTick(this.#flushNow);

  constructor(
    private readonly connection: Commands,
    wheel: TimerWheel,
    readonly timeout: number,
  ) {
    this.deadlines = new DeadlineQueue(wheel, timeout);
    connection.onReady(() => this.#outside.runInAsyncScope(this.#flushNow));
  }

  get trouble(): string {
    return this.connection.lifecycle.lastTrouble;
  }

  /**
   * Runs one operation.
   * @throws RedisFailure `unsent` or `ambiguous` at the deadline, whatever the connection does; `refused` for an error reply
   */
  run<T>(request: ScriptRequest<T>): Promise<T> {
    return promised((callback) => this.send(request, callback));
  }

  /** Runs one operation that no caller waits for: its answer may come after the deadline, until its connection is gone. */
  runLate<T>(request: ScriptRequest<T>): Promise<T> {
    return promisedLate((callback) => this.send(request, callback));
  }

  /** Runs one operation without a promise: with thousands a second each promise costs its memory until the answer arrives. */
  send<T>(request: ScriptRequest<T>, callback: ReplyCallback<T>): void {
    const operation = new Operation(request, callback, this);
    const isNext = this.#isLone && this.deadlines.isIdle;
    this.deadlines.begin(operation, callback.sentAt);
    const queue = this.#queueOf(request, this.connection.groupOf(request.keys[0]));
    // A list of one is enough for a call in a turn of its own.
    if (queue.operations.length > 0) queue.operations.push(operation);
    else {
      queue.operations = [operation];
      this.#filled.push(queue);
    }
    if (!this.#flushing) {
      this.#flushing = true;
      // With a single sequential caller there is nothing to wait for but the continuations of this microtask.
      this.#outside.runInAsyncScope(isNext ? this.#flushNext : this.#flushSoon);
    }
  }

  #queueOf({ script, sending = DEFAULTS }: ScriptRequest<unknown>, group: number): Queue {
    const scripts = this.#queues.get(group) ?? new Map<LuaScript, Queues>();
    const queues = scripts.get(script) ?? new Map<string, Queue>();
    if (queues.size === 0) this.#queues.set(group, scripts.set(script, queues));
    const { shared = '' } = sending;
    const known = queues.get(shared);
    if (known !== undefined) return known;
    const numbers = shared === '' ? [] : shared.split(' ');
    const queue: Queue = { script, sending, numbers, operations: NONE };
    queues.set(shared, queue);
    if (queues.size === KEPT) this.#crowded.push(queues);
    return queue;
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#crowded.length > 0) for (const queues of this.#crowded.splice(0)) queues.clear();
    if (!this.connection.isReady) {
      this.connection.lifecycle.start();
      this.#forgetExpired();
      return;
    }
    const filled = this.#filled;
    this.#filled = [];
    this.#isLone = filled.length === 1 && filled[0]?.operations.length === 1;
    if (this.#queues.size > KEPT) this.#queues.clear();
    for (const queue of filled) this.#send(queue);
  }

  /** Empties a queue. */
  #send(queue: Queue): void {
    const { script, sending, numbers, operations: all } = queue;
    queue.operations = NONE;
    const operations = openOf(all);
    const { publishes = false, perCall = OPERATIONS_PER_CALL } = sending;
    const common = publishes ? [this.connection.publish, ...numbers] : numbers;
    const size = script.batch ? perCall : 1;
    for (let from = 0; from < operations.length; from += size) {
      const oneCall = operations.length <= size ? operations : operations.slice(from, from + size);
      new ScriptCall(this.connection, script, common, oneCall).send();
    }
  }

  /** Drops operations whose callers gave up while there was no connection; once per timeout is soon enough. */
  #forgetExpired(): void {
    if (now() - this.#sweptAt < this.timeout) return;
    this.#sweptAt = now();
    for (const queue of this.#filled) queue.operations = [...openOf(queue.operations)];
    this.#filled = this.#filled.filter(({ operations }) => operations.length > 0);
  }
}
