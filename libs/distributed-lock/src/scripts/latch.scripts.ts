import { CALL_LIFE, callRecord } from './call.scripts.js';
import { latchCountDown, latchDelete, latchInspect, latchSet } from './generated/lua.scripts.js';
import type { ScriptCaller } from './script.caller.js';
import { latchChannel } from './wire.names.js';

/**
 * The scripts of the count-down latch, typed. Each operation that takes a `call` id is safe to repeat under that id, until its
 * record is forgotten ({@link CallScripts}).
 */
export class LatchScripts {
  constructor(private readonly caller: ScriptCaller) {}

  /** Closes the latch with a count. @returns false when it has one already */
  async trySet(name: string, call: string, count: number): Promise<boolean> {
    const args = [`${count}`, `${CALL_LIFE}`, latchChannel(name)];
    return (await this.caller.tell(latchSet, [name, callRecord(name, call)], args)).integer(0) === 1;
  }

  /** Takes one off the count. @returns the count after it; undefined when the latch was open */
  async countDown(name: string, call: string): Promise<number | undefined> {
    const args = [`${CALL_LIFE}`, latchChannel(name)];
    const reply = await this.caller.tell(latchCountDown, [name, callRecord(name, call)], args);
    return reply.integer(0) === 1 ? reply.integer(1) : undefined;
  }

  /** @returns what is still to be counted down; 0 when the latch is open */
  async count(name: string): Promise<number> {
    return (await this.caller.call(latchInspect, [name], [])).integer(1);
  }

  /** Opens the latch whatever its count. @returns whether it had one */
  async delete(name: string): Promise<boolean> {
    return (await this.caller.tell(latchDelete, [name], [latchChannel(name)])).integer(0) === 1;
  }
}
