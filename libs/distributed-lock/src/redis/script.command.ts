import { Command, Redis } from 'ioredis';
import type { ClientPort } from './client.port.js';

/** What a script is run by. */
export type ScriptCommand = 'evalsha' | 'eval';

/** What a script is called with, as Redis has it: its SHA-1 or its text, the number of its keys, these, and its arguments. */
export type ScriptWords = string[];

/** A client that scripts can be sent on. */
export type ScriptPort = Pick<ClientPort, ScriptCommand>;

/** As the method has it. */
const REPLY_IN_TEXT = { replyEncoding: 'utf8' } as const;

/** What stands before an argument of so many bytes, and behind the one before it. */
const HEADS = Array.from({ length: 256 }, (_, bytes) => headOf(bytes));

function headOf(bytes: number): string {
  return `\r\n$${bytes}\r\n`;
}

type Reply = Parameters<Command['transformReply']>[0];

/**
 * A command whose arguments are texts. The client's own way of writing it makes four texts of each argument, and its length anew:
 * twice the time, of which a call with 80 of them has most.
 */
class ScriptRun extends Command {
  override toWritable(): string {
    let text = `*${this.args.length + 1}\r\n$${this.name.length}\r\n${this.name}`;
    for (const arg of this.args) {
      const argument = String(arg);
      const bytes = Buffer.byteLength(argument);
      // One after the other: put together first, the two would be a text more.
      text += HEADS[bytes] ?? headOf(bytes);
      text += argument;
    }
    return `${text}\r\n`;
  }

  /** Without the reply transformer that the application may have for commands of this name. */
  override transformReply(result: Reply): ReturnType<Command['transformReply']> {
    const { name } = this;
    this.name = '';
    try {
      return super.transformReply(result);
    } finally {
      this.name = name;
    }
  }
}

/**
 * Runs a script by the client's `sendCommand`, to which its own method comes as well. That method, and the constructor of a
 * command, copy each argument one at a time: of a call with 80 of them they would be a third of the cost.
 * @returns what the client made of it; where somebody has put himself between the client and us, and throws, as if it had rejected it
 */
export function sendScript(client: ScriptPort, how: ScriptCommand, words: ScriptWords): Promise<unknown> {
  try {
    // A client of another copy of ioredis, perhaps of another version, knows only its own commands.
    if (!(client instanceof Redis)) return call(client, how, words);
    // Named later: the argument transformers of the application are asked by the constructor.
    const command = new ScriptRun('', [], REPLY_IN_TEXT);
    command.name = how;
    command.args = words;
    return Promise.resolve(client.sendCommand(command));
  } catch (error) {
    return Promise.reject(error);
  }
}

function call(
  client: ScriptPort,
  how: ScriptCommand,
  [script = '', keys, ...rest]: ScriptWords,
): Promise<unknown> {
  return client[how](script, Number(keys), ...rest);
}
