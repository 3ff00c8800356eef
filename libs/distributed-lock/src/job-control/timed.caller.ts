import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from './store.clock.js';
import type { LuaScript } from '../script-runner/lua.script.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import type { ScriptRequest } from '../script-runner/operation.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import type { Sending } from '../script-runner/sending.js';

/** Sends scripts whose replies carry the store's time behind their number, which updates the clock. */
export class TimedCaller {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly clock: StoreClock,
  ) {}

  async call(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<ReplyReader> {
    return await this.runner.run(this.#request(script, keys, args, {}));
  }

  /** As {@link notify}, for what no caller waits for: its answer may come after the deadline, until its connection is gone. */
  async notifyLate(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<ReplyReader> {
    return await this.runner.runLate(this.#request(script, keys, args, { publishes: true }));
  }

  /**
   * Runs a script whose first argument is the publishing command.
   * @param grants the records that replicas have to acknowledge, where that is required
   */
  async notify(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    grants?: readonly number[],
  ): Promise<ReplyReader> {
    return await this.runner.run(this.#request(script, keys, args, { publishes: true, grants }));
  }

  #request(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    sending: Sending,
  ): ScriptRequest<ReplyReader> {
    const sent = now();
    const read = (reply: ReplyReader) => {
      const at = reply.integer(1);
      // A late answer says little of the present time.
      if (now() - sent < this.runner.timeout || this.clock.now() === undefined) this.clock.observe(sent, at);
      return reply;
    };
    return { script, keys, args, read, sending };
  }
}
