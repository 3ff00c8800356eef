import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from './store.clock.js';
import type { LuaScript } from '../scripts/lua.script.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../scripts/script.runner.js';
import type { Sending } from '../scripts/sending.js';

/** Sends scripts whose replies carry the store's time behind their number, which updates the clock. */
export class TimedCaller {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly clock: StoreClock,
  ) {}

  /** @param grants the records that replicas have to acknowledge, where that is required */
  async call(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    grants?: readonly number[],
  ): Promise<ReplyReader> {
    return await this.#run(script, keys, args, { grants });
  }

  /** Runs a script whose first argument is the publishing command. */
  async notify(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    grants?: readonly number[],
  ): Promise<ReplyReader> {
    return await this.#run(script, keys, args, { publishes: true, grants });
  }

  #run(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    sending: Sending,
  ): Promise<ReplyReader> {
    const sent = now();
    const read = (reply: ReplyReader) => {
      this.clock.observe(sent, reply.integer(1));
      return reply;
    };
    return this.runner.run({ script, keys, args, read, sending });
  }
}
