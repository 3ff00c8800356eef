import type { Answer } from '../redis/acked.calls.js';
import type { Commands, Hearer } from '../redis/command.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ScriptCommand, ScriptWords } from '../redis/script.command.js';
import type { LuaScript } from './lua.script.js';
import type { Asked } from './operation.js';

/** One call of a script, for one operation or for several that travel together, and the answer to each of them. */
export class ScriptCall implements Hearer {
  #isTaught = false;

  constructor(
    private readonly connection: Commands,
    private readonly script: LuaScript,
    /** Its first arguments. */
    private readonly shared: readonly string[],
    private operations: readonly Asked[],
  ) {}

  send(): void {
    this.#sendBy('evalsha');
  }

  /** Of a script for several operations an array has a row for each of them; any other reply is the row of all. */
  answered(reply: unknown, verdict?: Answer['verdict']): void {
    const rows: unknown[] | undefined = this.script.batch && Array.isArray(reply) ? reply : undefined;
    const asked = this.operations;
    for (let index = 0; index < asked.length; index += 1)
      asked[index]?.succeed(rows === undefined ? reply : rows[index], verdict);
    if (rows === undefined ? isReadOnly(reply) : rows.some(isReadOnly)) this.connection.demoted();
  }

  failed(failure: RedisFailure): void {
    const asked = this.operations;
    // The node that owns these keys does not know the script, so it did not run; EVAL runs it there, and teaches it.
    if (failure.code === 'NOSCRIPT' && !this.#isTaught) {
      this.#isTaught = true;
      this.#sendBy('eval');
      return;
    }
    if (failure.code === 'READONLY') this.connection.demoted();
    // A refusal before execution (NOPERM for one key of many, say) must not fail the neighbours.
    if (failure.kind === 'refused' && asked.length > 1) {
      for (const operation of asked) {
        // One whose caller has given up is not sent again; it did not run, and whoever waits for its end is to hear so.
        if (operation.isDone) operation.fail(failure);
        else new ScriptCall(this.connection, this.script, this.shared, [operation]).send();
      }
    } else for (const operation of asked) operation.fail(failure);
  }

  #sendBy(how: ScriptCommand): void {
    const isAcked = this.connection.isAcked && this.operations.some(({ isGranting }) => isGranting);
    if (isAcked) void this.#sendInTurn(how);
    else this.#run(how, false);
  }

  /** Replicas are waited for by one call of a server at a time. */
  async #sendInTurn(how: ScriptCommand): Promise<void> {
    try {
      await this.connection.turn(this.operations[0]?.keys[0] ?? '');
    } catch (error) {
      for (const operation of this.operations) operation.fail(RedisFailure.from(error));
      return;
    }
    // Those that were sent before are to hear what becomes of it, even if their callers do not wait any more.
    if (!this.#isTaught) this.operations = this.operations.filter((operation) => !operation.isDone);
    if (this.operations.length > 0) this.#run(how, true);
  }

  #run(how: ScriptCommand, isAcked: boolean): void {
    const { operations } = this;
    const words: ScriptWords = [how === 'eval' ? this.script.text : this.script.sha1, '0'];
    for (const { keys } of operations) addTo(words, keys);
    words[1] = `${words.length - 2}`;
    addTo(words, this.shared);
    for (const operation of operations) {
      operation.sent();
      addTo(words, operation.args);
    }
    this.connection.run(how, words, isAcked, this);
  }
}

/** One at a time: for a list as short as these it is the quickest way, and makes no other one. */
function addTo(words: ScriptWords, more: readonly string[]): void {
  for (const word of more) words.push(word);
}

/** Scripts catch a refused write, and answer it in the row of its key. */
function isReadOnly(row: unknown): boolean {
  return Array.isArray(row) && row[0] === -1 && String(row[1]).startsWith('READONLY');
}
