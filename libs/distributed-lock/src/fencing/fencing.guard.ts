import { LockConfigurationError, LockUnavailableError, StaleTokenError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import { fencedGuard, fencePart } from '../scripts/generated/lua.scripts.js';

/** An argument of a Redis command: a string, a finite number (sent as decimal text), or bytes. */
export type CommandValue = string | number | Uint8Array;

/**
 * A Redis command with one key: the name of the command, the key, and the other arguments.
 * @example ['HSET', 'account:7', 'balance', 100]
 */
export type GuardedCommand = readonly [name: string, key: string, ...values: CommandValue[]];

/**
 * The client for guarded writes: an ioredis `Redis` or `Cluster` of the application, connected to the database
 * with the data. Only `eval()` is called.
 */
export interface GuardClient {
  /** Runs a Lua script with these keys and arguments, like `eval()` of ioredis. */
  eval(script: string, numberOfKeys: number, ...keysAndArgs: (string | number | Buffer)[]): Promise<unknown>;
}

/** The fence of a guarded write, and the token of the writer. */
export interface Fence {
  /**
   * The Redis key that stores the newest token. Use one key for all data that is written under one lock. The
   * key has no TTL.
   */
  readonly fence: string;
  /**
   * The token of the writer: of a fenced lock, a leader, or the run of a tick. Minimum: 0n. Read the token again
   * for each write: a re-entry raises it.
   */
  readonly token: bigint;
}

const FENCE = optionNames<Fence>({ fence: true, token: true });

/** Lua refuses to lay more values on its stack. */
const MOST_VALUES = 7000;

/**
 * Lua source of the function `fence(key, token)`. Put it in front of your own script, and call `fence()` before
 * the first write. It returns `0` if a newer token is stored at `key`. Otherwise it stores the token and returns
 * `1`. An equal token also returns `1`, so one holder can write several times.
 *
 * Pass `key` in `KEYS`, and the token as decimal text in `ARGV`. Tokens of any length are compared without loss
 * of digits. A token that is not a whole number in decimal text raises an error.
 */
export const FENCE_LUA: string = `${fencePart}\n`;

/**
 * Runs commands in one script, without other commands between them, unless the fence has a newer token. The token is
 * checked and stored before the first command runs. Redis does not roll back: if a command fails, for example because
 * a key has another type, earlier commands stay in effect and later commands do not run.
 *
 * In a cluster the fence and all keys must be in one slot: `{account:7}:fence`, `{account:7}:balance`.
 * @returns the replies of the commands, in order. Integers above 2^53 lose digits in Lua
 * @throws StaleTokenError if the fence has a newer token; nothing was written
 * @throws LockConfigurationError `INVALID_OPTION` for an invalid fence, token or command, or if the number of
 * values plus twice the number of commands exceeds 7000; nothing was sent
 * @throws LockUnavailableError if `eval()` of the client returned an unknown reply; the write may have been
 * done
 * @throws the error of the client if Redis is unreachable or refuses a command. The message names the refused
 * command
 */
export async function guardedWrite(
  redis: GuardClient,
  passed: Fence,
  commands: readonly GuardedCommand[],
): Promise<unknown[]> {
  checkOptionNames(passed, FENCE, 'of guardedWrite()');
  const { fence, token } = passed;
  if (typeof fence !== 'string' || fence === '')
    throw invalid('fence must be a Redis key, a non-empty string');
  if (typeof token !== 'bigint' || token < 0n)
    throw invalid('token must be a bigint of at least 0n, such as handle.token of a fenced lock');
  const values = readCommands(commands);
  const keys = [fence, ...commands.map(([, key]) => key)];
  const reply = await redis.eval(fencedGuard.text, keys.length, ...keys, `${token}`, ...values);
  const [verdict, rest]: unknown[] = Array.isArray(reply) ? reply : [];
  if (Number(verdict) === 1 && Array.isArray(rest)) return rest;
  if (Number(verdict) === 0) throw new StaleTokenError(fence, token, BigInt(String(rest)));
  const text = JSON.stringify(reply);
  const message = `The client returned an unknown reply to the guarded write: ${text}.`;
  const remedy =
    'Pass a client whose eval() returns the same replies as ioredis. The write may have been done.';
  throw new LockUnavailableError(undefined, message, undefined, 'UNAVAILABLE', remedy);
}

function readCommands(commands: readonly GuardedCommand[]): (string | Buffer)[] {
  if (!Array.isArray(commands) || commands.length === 0)
    throw invalid('the list of commands must have at least one command');
  const words = commands.flatMap((command: GuardedCommand, index) => {
    const place = `command ${index + 1}`;
    if (!Array.isArray(command)) throw invalid(`${place} must be an array of a name, a key and values`);
    const [name, key, ...values]: unknown[] = command;
    if (typeof name !== 'string' || name === '') throw invalid(`${place} must begin with its name`);
    if (typeof key !== 'string' || key === '')
      throw invalid(`${place}, ${name}, must have its key after the name`);
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
  throw invalid(`${place} has a value that is not a string, a finite number or bytes`);
}

function invalid(what: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', `guardedWrite cannot run: ${what}.`);
}
