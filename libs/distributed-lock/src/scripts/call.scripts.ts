import { callForget } from './generated/lua.scripts.js';
import { isDone } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { suffixName } from './wire.names.js';

/**
 * How long the record of a call that never got a reply is kept, in ms: during this time the call may be repeated, or undone.
 * A semaphore has no lease, so a permit that is not undone by then is lost; a Redis that is away for a while must not cost a permit.
 */
export const CALL_LIFE = 600_000;

/** How long a call that was undone, or had to be repeated, is remembered, in ms: a copy of it may still be on its way. */
export const CALL_ECHO = 30_000;

/** Calls per batch: to delete a record is cheap, and no caller waits for it. */
const FORGETTING = { perCall: 100 };

/**
 * The record by which a call to the object `name` is safe to repeat. Only this library uses it, and deletes it once the reply has come.
 * @param call an id that is used for one call only
 */
export function callRecord(name: string, call: string): string {
  return suffixName(name, `call:${call}`);
}

/** The records of calls to objects without holders. */
export class CallScripts {
  constructor(private readonly runner: ScriptRunner) {}

  /**
   * Ends the record of a call whose reply has come.
   * @param keep how long a copy of the call must still be refused, in ms; 0 where the call was sent once
   */
  async forget(name: string, call: string, keep: number): Promise<void> {
    await this.runner.runLate({
      script: callForget,
      keys: [callRecord(name, call)],
      args: [`${keep}`],
      read: isDone,
      sending: FORGETTING,
    });
  }
}
