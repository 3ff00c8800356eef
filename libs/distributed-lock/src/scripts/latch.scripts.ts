import { CALL_LIFE, callRecord } from './call.scripts.js';
import { latchCountDown, latchDelete, latchInspect, latchSet } from './generated/lua.scripts.js';
import type { ReplyReader } from './reply.reader.js';
import { isDone, TELLING, type ScriptCaller } from './script.caller.js';
import { latchChannel } from './wire.names.js';

/**
 * The scripts of the count-down latch, typed. Each operation that takes a `call` id is safe to repeat under that id, until its
 * record is forgotten ({@link CallScripts}).
 */
export class LatchScripts {
  constructor(private readonly caller: ScriptCaller) {}

  /** Closes the latch with a count. @returns false when it has one already */
  trySet(name: string, call: string, count: number): Promise<boolean> {
    const args = [`${count}`, `${CALL_LIFE}`, latchChannel(name)];
    return this.caller.call(latchSet, [name, callRecord(name, call)], args, isDone, TELLING);
  }

  /** Takes one off the count. @returns the count after it; undefined when the latch was open */
  countDown(name: string, call: string): Promise<number | undefined> {
    const args = [`${CALL_LIFE}`, latchChannel(name)];
    const read = (reply: ReplyReader) => (isDone(reply) ? reply.integer(1) : undefined);
    return this.caller.call(latchCountDown, [name, callRecord(name, call)], args, read, TELLING);
  }

  /** @returns what is still to be counted down; 0 when the latch is open */
  count(name: string): Promise<number> {
    return this.caller.call(latchInspect, [name], [], (reply) => reply.integer(1));
  }

  /** Opens the latch whatever its count. @returns whether it had one */
  delete(name: string): Promise<boolean> {
    return this.caller.call(latchDelete, [name], [latchChannel(name)], isDone, TELLING);
  }
}
