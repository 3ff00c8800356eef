import { RedisFailure } from '../redis/redis.failure.js';
import type { ScriptWords } from '../client-port/script.command.js';
import { HASH_COMMANDS } from './hash.commands.js';
import { compileScripts, type Command, type CompiledScript } from './generated/memory.scripts.js';
import { KEY_COMMANDS } from './key.commands.js';
import { LIST_COMMANDS } from './list.commands.js';
import { libraryOn } from '../lua-runtime/lua.library.js';
import { formatGeneral } from '../lua-runtime/lua.numbers.js';
import { LuaError, LuaTable, type Value } from '../lua-runtime/lua.values.js';
import type { MemoryCommandContext, MemoryCommand } from './memory.command.js';
import { refusal } from './memory.keys.js';
import { SORTED_COMMANDS } from './sorted.commands.js';

const COMMANDS: Readonly<Record<Command, MemoryCommand>> = {
  ...KEY_COMMANDS,
  ...HASH_COMMANDS,
  ...LIST_COMMANDS,
  ...SORTED_COMMANDS,
};

/** What a script gave. */
export type ScriptAnswer = { readonly reply: unknown } | { readonly failure: RedisFailure };

/** The library's scripts on the keys and channels of a memory store. Each runs at once, as a whole. */
export class MemoryScripts {
  readonly #scripts: Readonly<Record<string, CompiledScript>>;

  constructor(private readonly context: MemoryCommandContext) {
    this.#scripts = compileScripts(libraryOn((args) => this.#command(args)));
  }

  /**
   * Runs a script of the library.
   * @returns its reply, as a client has it
   * @throws RedisFailure `refused` for an error reply
   */
  run(sha1: string, keys: readonly string[], args: readonly string[]): unknown {
    const script = Object.hasOwn(this.#scripts, sha1) ? this.#scripts[sha1] : undefined;
    if (script === undefined)
      throw new RedisFailure(
        'refused',
        "NOSCRIPT No matching script: the memory store runs the library's own.",
        { code: 'NOSCRIPT' },
      );
    try {
      const [reply] = this.context.keys.atOneInstant(() =>
        script(new LuaTable(keys.map(toBytes)), new LuaTable(args.map(toBytes))),
      );
      return toReply(reply);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Runs the script of a command: the reply, or the error reply. */
  answer([script = '', keys, ...rest]: ScriptWords): ScriptAnswer {
    const count = Number(keys);
    try {
      return { reply: this.run(script, rest.slice(0, count), rest.slice(count)) };
    } catch (error) {
      if (error instanceof RedisFailure) return { failure: error };
      throw error;
    }
  }

  /**
   * Runs one command.
   * @returns its reply, as a client has it
   * @throws RedisFailure `refused` for an error reply
   */
  command(words: readonly string[]): unknown {
    try {
      return toReply(this.context.keys.atOneInstant(() => this.#command(words.map(toBytes))));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  #command(args: readonly Value[]): Value {
    const [name = '', ...rest] = args.map(toArgument);
    const command = name.toUpperCase();
    if (!isCommand(command)) throw refusal(`ERR unknown command '${name}' in the memory store`);
    return COMMANDS[command](this.context, rest);
  }
}

/** The failure for an error reply; any other error as it is. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof LuaError)) return error;
  const code = /^[A-Z]+/.exec(error.message)?.[0];
  return new RedisFailure('refused', error.message, { code, cause: error });
}

function isCommand(name: string): name is Command {
  return Object.hasOwn(COMMANDS, name);
}

function toArgument(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatGeneral(value, 17);
  throw refusal('ERR Lua redis lib command arguments must be strings or integers');
}

/** A script's value as a client reads it: whole numbers, a list up to its first nil, true as 1. */
function toReply(value: Value): unknown {
  if (typeof value === 'string') return fromBytes(value);
  if (typeof value === 'number') return Math.trunc(value) + 0;
  if (!(value instanceof LuaTable)) return value === true ? 1 : null;
  const error = value.get('err');
  if (typeof error === 'string') throw new LuaError(value);
  const status = value.get('ok');
  return typeof status === 'string' ? fromBytes(status) : value.items().map(toReply);
}

/** Lua counts bytes: a text of UTF-8 becomes one with a character for each. */
export function toBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function fromBytes(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
