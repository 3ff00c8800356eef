import type { Answer } from '../cluster/acked.calls.js';
import type { Commands, CommandCallback } from '../connections/command.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ScriptCommand, ScriptWords } from '../client-port/script.command.js';
import type { LuaScript } from './lua.script.js';
import type { RequestedOperation } from './operation.js';

/** Of an operation that is not sent again after its caller has given up. */
const NOT_RUN = new RedisFailure('unsent', 'it was not run, and its caller has given up');

/** One call of a script, for one operation or for a batch, and the answer to each of them. */
export class ScriptCall implements CommandCallback {
  /** Whether the server was sent the script's text. */
  private wasSentWhole = false;

  constructor(
    private readonly connection: Commands,
    private readonly script: LuaScript,
    /** The first arguments of the call. */
    private readonly shared: readonly string[],
    private operations: readonly RequestedOperation[],
  ) {}

  send(command: ScriptCommand = 'evalsha'): void {
    const isAcked = this.connection.isAcked && this.operations.some(({ isGranting }) => isGranting);
    if (isAcked) void this.sendInTurn(command);
    else this.run(command, false);
  }

  /** From a script for several operations an array has a row for each of them; any other reply is the row of all. */
  answered(reply: unknown, verdict?: Answer['verdict']): void {
    const rows: unknown[] | undefined = this.script.batch && Array.isArray(reply) ? reply : undefined;
    const { operations } = this;
    for (let index = 0; index < operations.length; index += 1)
      operations[index]?.succeed(rows === undefined ? reply : rows[index], verdict);
    if (rows === undefined ? isReadOnly(reply) : rows.some(isReadOnly)) this.connection.demoted();
  }

  failed(failure: RedisFailure): void {
    const { operations } = this;
    // The node that owns these keys does not know the script, so it did not run; EVAL runs it there, and loads it.
    if (failure.code === 'NOSCRIPT' && !this.wasSentWhole) {
      this.wasSentWhole = true;
      this.endUnwanted();
      if (this.operations.length > 0) this.send('eval');
      return;
    }
    if (failure.code === 'READONLY') this.connection.demoted();
    // A refusal before execution (NOPERM for one key of many, say) must not fail the neighbours.
    if (failure.kind === 'refused' && operations.length > 1) {
      for (const operation of openOf(operations))
        new ScriptCall(this.connection, this.script, this.shared, [operation]).send();
    } else for (const operation of operations) operation.fail(failure);
  }

  /** One call of a server at a time waits for replicas. */
  private async sendInTurn(command: ScriptCommand): Promise<void> {
    try {
      await this.connection.untilSendable(this.operations[0]?.request.keys[0] ?? '');
    } catch (error) {
      for (const operation of this.operations) operation.fail(RedisFailure.from(error));
      return;
    }
    this.endUnwanted();
    if (this.operations.length > 0) this.run(command, true);
  }

  /** A script that the server did not know was sent in time, and may end what its caller began: only what is outdated is not sent again. */
  private endUnwanted(): void {
    const { operations, wasSentWhole } = this;
    this.operations = wasSentWhole
      ? endThose(operations, ({ isOutdated }) => isOutdated)
      : openOf(operations);
  }

  private run(command: ScriptCommand, isAcked: boolean): void {
    for (const operation of this.operations) operation.sent();
    this.connection.run(command, this.words(command), isAcked, this);
  }

  /**
   * A list of the final length. A growing list is allocated twice, and V8 came to allocate it in the old generation, where it kept alive
   * all that it refers to: with async hooks on that cost a lock and its release 5 of 73 µs.
   */
  private words(command: ScriptCommand): ScriptWords {
    const { script, shared, operations } = this;
    let keys = 0;
    let args = shared.length;
    for (const operation of operations) {
      keys += operation.request.keys.length;
      args += operation.request.args.length;
    }
    // oxlint-disable-next-line unicorn/no-new-array -- the length is what it is about
    const words: ScriptWords = new Array(2 + keys + args);
    words[0] = command === 'eval' ? script.text : script.sha1;
    words[1] = `${keys}`;
    let next = 2;
    for (const operation of operations) for (const key of operation.request.keys) words[next++] = key;
    for (const word of shared) words[next++] = word;
    for (const operation of operations) for (const arg of operation.request.args) words[next++] = arg;
    return words;
  }
}

/**
 * Operations that have not run so far, and whose callers have given up, are not sent. They end here, so that no deadline is left of them, and
 * what waits for their end goes on.
 * @returns the others: most often the same list
 */
export function openOf<T extends RequestedOperation>(operations: readonly T[]): readonly T[] {
  for (const operation of operations)
    if (operation.isDone) return endThose(operations, ({ isDone }) => isDone);
  return operations;
}

/** @returns the others */
function endThose<T extends RequestedOperation>(operations: readonly T[], isOver: (one: T) => boolean): T[] {
  const open: T[] = [];
  for (const operation of operations)
    if (isOver(operation)) operation.fail(NOT_RUN);
    else open.push(operation);
  return open;
}

/** Scripts catch a refused write, and return it in the row of its key. */
function isReadOnly(row: unknown): boolean {
  return Array.isArray(row) && row[0] === -1 && String(row[1]).startsWith('READONLY');
}
