import { LockConfigurationError, LockUnavailableError, StaleTokenError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames } from '../options/option.names.js';
import { fencedGuard, fencePart } from '../scripts/generated/lua.scripts.js';

/** A text, a finite number (as decimal text), or bytes. */
export type CommandValue = string | number | Uint8Array;

/**
 * A command whose first argument is its only key: its name, the key, and what follows.
 * @example ['HSET', 'account:7', 'balance', 100]
 */
export type GuardedCommand = readonly [name: string, key: string, ...values: CommandValue[]];

/** What is used of a client: an ioredis `Redis` or `Cluster` of the application's own, whose database has the data. */
export interface GuardClient {
  /** Runs a script on its keys and arguments, as ioredis does. */
  eval(script: string, numberOfKeys: number, ...keysAndArgs: (string | number | Buffer)[]): Promise<unknown>;
}

/** Who wants to write, and where that is checked. */
export interface Fence {
  /** The key that keeps the newest token that has passed. One for all that is written under one lock; it needs no ttl. */
  readonly fence: string;
  /** The writer's: `handle.token` of a fenced lock, read before the write. */
  readonly token: bigint;
}

const FENCE = optionNames<Fence>({ fence: true, token: true });

/** Lua refuses to lay more values on its stack. */
const MOST_VALUES = 7000;

/**
 * The Lua function `fence(key, token)`, to be put in front of a script of one's own. It answers 1 and stores the token at
 * `key` when none has passed there that is newer, and 0 otherwise; an equal token passes, so that one holder may write often.
 * The token is handed over as decimal text (`ARGV`), and compared exactly; what is no such text raises an error.
 * Ask it before the first write, and name its key among the script's KEYS.
 */
export const FENCE_LUA: string = `${fencePart}\n`;

/**
 * Runs commands in one atomic step, unless a newer token has passed the fence. The token is checked, and stored, before
 * anything is written. Redis undoes nothing: when a command fails (of a wrong type, say), those before it stay and those
 * behind it do not run.
 *
 * In a cluster the fence and all keys have to share a slot: `{account:7}:fence`, `{account:7}:balance`.
 * @returns the replies of the commands, in their order; an integer beyond 2^53 has lost digits in Lua
 * @throws StaleTokenError when a newer token has passed; nothing was written
 * @throws LockConfigurationError `INVALID_OPTION` before anything is sent
 * @throws what the client throws when Redis cannot be asked or refuses a command; the message then names the command
 */
export async function guardedWrite(
  redis: GuardClient,
  passed: Fence,
  commands: readonly GuardedCommand[],
): Promise<unknown[]> {
  checkOptionNames(passed, FENCE, 'of guardedWrite()');
  const { fence, token } = passed;
  if (typeof fence !== 'string' || fence === '') throw invalid('fence is a key: a text that is not empty');
  if (typeof token !== 'bigint' || token < 0n)
    throw invalid('token is a bigint of at least 0n: handle.token of a fenced lock');
  const values = readCommands(commands);
  const keys = [fence, ...commands.map(([, key]) => key)];
  const reply = await redis.eval(fencedGuard.text, keys.length, ...keys, `${token}`, ...values);
  const [verdict, rest]: unknown[] = Array.isArray(reply) ? reply : [];
  if (Number(verdict) === 1 && Array.isArray(rest)) return rest;
  if (Number(verdict) === 0) throw new StaleTokenError(fence, token, BigInt(String(rest)));
  const told = JSON.stringify(reply);
  const message = `The guarded write was answered in an unknown form: ${told}.`;
  const remedy =
    'Hand over a client whose eval() answers as that of ioredis does; the write may have been done.';
  throw new LockUnavailableError(undefined, message, undefined, 'UNAVAILABLE', remedy);
}

function readCommands(commands: readonly GuardedCommand[]): (string | Buffer)[] {
  if (!Array.isArray(commands) || commands.length === 0)
    throw invalid('there is no command: hand over a list of at least one');
  const words = commands.flatMap((command: GuardedCommand, index) => {
    const place = `command ${index + 1}`;
    if (!Array.isArray(command)) throw invalid(`${place} is no list of its name, its key and its values`);
    const [name, key, ...values]: unknown[] = command;
    if (typeof name !== 'string' || name === '') throw invalid(`${place} does not begin with its name`);
    if (typeof key !== 'string' || key === '')
      throw invalid(`${place}, ${name}, does not name its key behind its name`);
    return [name, `${values.length}`, ...values.map((value) => readValue(value, `${place}, ${name},`))];
  });
  if (words.length > MOST_VALUES)
    throw invalid(`the commands have more than ${MOST_VALUES} values: write in several calls`);
  return words;
}

function readValue(value: unknown, place: string): string | Buffer {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw invalid(`${place} has a value that is no text, no finite number and no bytes`);
}

function invalid(what: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', `guardedWrite cannot run: ${what}.`);
}
