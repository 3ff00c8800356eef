import type { Answer } from '../redis/acked.calls.js';
import type { CommandConnection } from '../redis/command.connection.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { LuaScript } from './lua.script.js';
import type { Asked } from './operation.js';

/** One call of a script, for one operation or for several that travel together, and the answer to each of them. */
export class ScriptCall {
  constructor(
    private readonly connection: CommandConnection,
    private readonly script: LuaScript,
    /** Its first arguments. */
    private readonly shared: readonly string[],
    private readonly operations: readonly Asked[],
  ) {}

  send(): void {
    const isAcked = this.connection.isAcked && this.operations.some(({ isGranting }) => isGranting);
    if (isAcked) void this.#sendInTurn();
    else this.#follow(this.operations, this.#run(this.operations, 'evalsha', false), false);
  }

  /** Replicas are waited for by one call of a server at a time. */
  async #sendInTurn(): Promise<void> {
    try {
      await this.connection.turn(this.#lock);
      const asked = this.operations.filter((operation) => !operation.isDone);
      if (asked.length > 0) this.#follow(asked, this.#run(asked, 'evalsha', true), true);
    } catch (error) {
      for (const operation of this.operations) operation.fail(RedisFailure.from(error));
    }
  }

  #follow(asked: readonly Asked[], answer: Promise<Answer>, isAcked: boolean): void {
    answer.then(
      ({ reply, verdict }) => this.#answered(asked, reply, verdict),
      (error: unknown) => {
        const failure = RedisFailure.from(error);
        // The node that owns these keys does not know the script, so it did not run.
        if (failure.code === 'NOSCRIPT') void this.#teach(asked, isAcked);
        else this.#failed(asked, failure);
      },
    );
  }

  get #lock(): string {
    return this.operations[0]?.keys[0] ?? '';
  }

  #run(asked: readonly Asked[], how: 'evalsha' | 'eval', isAcked: boolean): Promise<Answer> {
    for (const operation of asked) operation.sent();
    const keys: string[] = [];
    const args = [...this.shared];
    for (const operation of asked) {
      keys.push(...operation.keys);
      args.push(...operation.args);
    }
    const text = how === 'eval' ? this.script.text : this.script.sha1;
    return this.connection[how](text, keys, args, isAcked);
  }

  /** A call of one operation may be answered by a row that is a plain number; all others by an array of rows. */
  #answered(asked: readonly Asked[], reply: unknown, verdict: Answer['verdict']): void {
    const rows: unknown[] = this.script.batch && Array.isArray(reply) ? reply : [reply];
    for (let index = 0; index < asked.length; index += 1) asked[index]?.succeed(rows[index], verdict);
    if (rows.some(isReadOnly)) this.connection.demoted();
  }

  #failed(asked: readonly Asked[], failure: RedisFailure): void {
    if (failure.code === 'READONLY') this.connection.demoted();
    // A refusal before execution (NOPERM for one key of many, say) must not fail the neighbours.
    if (failure.kind === 'refused' && asked.length > 1) {
      for (const operation of asked)
        new ScriptCall(this.connection, this.script, this.shared, [operation]).send();
    } else for (const operation of asked) operation.fail(failure);
  }

  /** EVAL runs it there, and the node knows it from then on. */
  async #teach(asked: readonly Asked[], isAcked: boolean): Promise<void> {
    try {
      if (isAcked) await this.connection.turn(this.#lock);
      const { reply, verdict } = await this.#run(asked, 'eval', isAcked);
      this.#answered(asked, reply, verdict);
    } catch (error) {
      this.#failed(asked, RedisFailure.from(error));
    }
  }
}

/** Scripts catch a refused write, and answer it in the row of its key. */
function isReadOnly(row: unknown): boolean {
  return Array.isArray(row) && row[0] === -1 && String(row[1]).startsWith('READONLY');
}
