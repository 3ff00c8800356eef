import { createHash } from 'node:crypto';
import {
  refusal,
  type KeyType,
  type MemoryKeys,
} from '../../libs/distributed-lock/src/memory/memory.keys.js';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import type {
  ScriptCommand,
  ScriptWords,
} from '../../libs/distributed-lock/src/client-port/script.command.js';
import type { World } from './world.js';

/** What a server answers instead of running a command. */
const MESSAGES = {
  BUSY: 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  LOADING: 'LOADING Redis is loading the dataset in memory',
  MISCONF:
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  READONLY: "READONLY You can't write against a read only replica.",
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
} as const;

export type RefusalCode = keyof typeof MESSAGES;

export const REFUSAL_CODES: readonly RefusalCode[] = ['BUSY', 'LOADING', 'MISCONF', 'READONLY', 'OOM'];

/** What a server refuses: all commands, those that take memory, or scripts that it does not know. */
export class ServerRefusals {
  #code: RefusalCode | undefined;
  #until = -Infinity;
  /** Whether the script has written something: then Redis lets it write on. */
  #hasWritten = false;
  readonly #known = new Set<string>();
  readonly #digests = new Map<string, string>();

  constructor(
    private readonly world: World,
    keys: MemoryKeys,
  ) {
    // A script catches the error of its command, and answers in the row of its key.
    const open = keys.open.bind(keys);
    keys.open = <T extends KeyType>(key: string, type: T) => {
      if (this.#current === 'OOM' && !this.#hasWritten) throw refusal(MESSAGES.OOM);
      return open(key, type);
    };
    const expire = keys.expire.bind(keys);
    keys.expire = (key, ttl) => {
      this.#hasWritten = true;
      return expire(key, ttl);
    };
    const remove = keys.delete.bind(keys);
    keys.delete = (key) => {
      this.#hasWritten = true;
      return remove(key);
    };
    const sweep = keys.sweep.bind(keys);
    keys.sweep = (key, size) => {
      this.#hasWritten = true;
      sweep(key, size);
    };
  }

  begin(code: RefusalCode, duration: number): void {
    this.#code = code;
    this.#until = this.world.now + duration;
  }

  /** As by `SCRIPT FLUSH`. */
  forgetScripts(): void {
    this.#known.clear();
  }

  /** @returns the words with the SHA-1 of their script, or why the server does not run them */
  check(how: ScriptCommand, [script = '', ...rest]: ScriptWords): ScriptWords | RedisFailure {
    const code = this.#current;
    this.#hasWritten = false;
    if (code !== undefined && code !== 'OOM') return new RedisFailure('refused', MESSAGES[code], { code });
    const sha1 = how === 'eval' ? this.#digestOf(script) : script;
    if (how === 'eval') this.#known.add(sha1);
    if (this.#known.has(sha1)) return [sha1, ...rest];
    return new RedisFailure('refused', 'NOSCRIPT No matching script.', { code: 'NOSCRIPT' });
  }

  get #current(): RefusalCode | undefined {
    return this.world.now < this.#until ? this.#code : undefined;
  }

  #digestOf(text: string): string {
    const digest = this.#digests.get(text) ?? createHash('sha1').update(text).digest('hex');
    this.#digests.set(text, digest);
    return digest;
  }
}
