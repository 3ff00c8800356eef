import { Command, Redis } from 'ioredis';
import type { ClientPort } from './client.port.js';

/** What a script is run by. */
export type ScriptCommand = 'evalsha' | 'eval';

/** A client that scripts can be sent on. */
export type ScriptPort = Pick<ClientPort, ScriptCommand>;

/** As the method has it. */
const REPLY_IN_TEXT = { replyEncoding: 'utf8' } as const;

/**
 * Runs a script by the client's `sendCommand`, to which its own method comes as well. That method, and the constructor of a
 * command, copy each argument one at a time: of a call with 80 of them they would be a third of the cost.
 * @param script its SHA-1, or its text
 */
export function sendScript(
  client: ScriptPort,
  how: ScriptCommand,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  // A client of another copy of ioredis, perhaps of another version, knows only its own commands.
  if (!(client instanceof Redis)) return client[how](script, keys.length, ...keys, ...args);
  const command = new Command(how, [], REPLY_IN_TEXT);
  command.args = [script, `${keys.length}`, ...keys, ...args];
  return Promise.resolve(client.sendCommand(command));
}
