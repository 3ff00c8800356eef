import { CALL_LIFE, callRecord } from './call.scripts.js';
import { latchCountDown, latchDelete, latchInspect, latchSet } from './generated/lua.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { isDone } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { PUBLISHING } from '../script-runner/sending.js';
import { latchChannel } from './wire.names.js';

/**
 * The scripts of the count-down latch, typed. Each operation that takes a `call` id is safe to repeat under that id, until its
 * record is forgotten ({@link CallScripts}).
 */
export class LatchScripts {
  constructor(private readonly runner: ScriptRunner) {}

  /** Closes the latch with a count. @returns false when it already has one */
  trySet(name: string, call: string, count: number): Promise<boolean> {
    const args = [`${count}`, `${CALL_LIFE}`, latchChannel(name)];
    return this.runner.run({
      script: latchSet,
      keys: [name, callRecord(name, call)],
      args,
      read: isDone,
      sending: PUBLISHING,
    });
  }

  /** Takes one off the count. @param callback receives the count after it; undefined when the latch was open */
  countDown(name: string, call: string, callback: ReplyCallback<number | undefined>): void {
    const args = [`${CALL_LIFE}`, latchChannel(name)];
    const read = (reply: ReplyReader) => (isDone(reply) ? reply.integer(1) : undefined);
    this.runner.send(
      {
        script: latchCountDown,
        keys: [name, callRecord(name, call)],
        args,
        read,
        sending: PUBLISHING,
      },
      callback,
    );
  }

  /** @returns the remaining count; 0 when the latch is open */
  count(name: string): Promise<number> {
    return this.runner.run({
      script: latchInspect,
      keys: [name],
      args: [],
      read: (reply) => reply.integer(1),
    });
  }

  /** Opens the latch whatever its count. @returns whether it had one */
  delete(name: string): Promise<boolean> {
    return this.runner.run({
      script: latchDelete,
      keys: [name],
      args: [latchChannel(name)],
      read: isDone,
      sending: PUBLISHING,
    });
  }
}
