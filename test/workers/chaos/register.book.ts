import type { Redis } from 'ioredis';
import { guardedWrite, StaleTokenError } from 'nestjs-distributed-lock';
import { outsideName, registerKeys } from '../../chaos/register.names.js';
import type { OutsideDesk } from './outside.desk.js';

/** A number that was read, to be written back with 1 more. */
export interface Update {
  /** @returns the registers that refused it by its token */
  write(isHeld: () => boolean): Promise<string[]>;
}

/**
 * What only a lock protects: each critical section reads a number, and writes it back with 1 more. It is there several times over:
 * written without looking at anything, written after a look at `isHeld`, and guarded by the token; in Redis, and outside of it.
 */
export class RegisterBook {
  constructor(
    private readonly redis: Redis,
    private readonly outside: OutsideDesk,
  ) {}

  async read(lock: string, token: bigint | undefined): Promise<Update> {
    const parts = [
      this.#plain(lock, 'blind', () => true),
      this.#plain(lock, 'looked', (isHeld) => isHeld()),
      this.#outside(outsideName(lock, 'blind'), undefined),
      ...(token === undefined
        ? []
        : [this.#fenced(lock, token), this.#outside(outsideName(lock, 'fenced'), token)]),
    ];
    const updates = await Promise.all(parts);
    return { write: async (isHeld) => (await Promise.all(updates.map((write) => write(isHeld)))).flat() };
  }

  async #plain(lock: string, manner: 'blind' | 'looked', mayWrite: (isHeld: () => boolean) => boolean) {
    const { value, writes } = registerKeys(lock, manner);
    const read = Number(await this.redis.get(value));
    return async (isHeld: () => boolean): Promise<string[]> => {
      if (!mayWrite(isHeld)) return [];
      await this.redis
        .multi()
        .incr(writes)
        .set(value, read + 1)
        .exec();
      return [];
    };
  }

  /** As the documentation has it: what a write is based on is read through the fence. */
  async #fenced(lock: string, token: bigint) {
    const { value, writes, fence } = registerKeys(lock, 'fenced');
    const guard = { fence, token };
    const read = await unlessStale(guardedWrite(this.redis, guard, [['GET', value]]));
    return async (): Promise<string[]> => {
      if (read === undefined) return ['redis'];
      const commands = [
        ['INCR', writes],
        ['SET', value, Number(read[0]) + 1],
      ] as const;
      const written = await unlessStale(guardedWrite(this.redis, guard, commands));
      return written === undefined ? ['redis'] : [];
    };
  }

  async #outside(lock: string, token: bigint | undefined) {
    const read = await this.outside.ask({ lock, token: token?.toString() });
    return async (): Promise<string[]> => {
      if (read === undefined) return ['file'];
      const written = await this.outside.ask({ lock, token: token?.toString(), value: read + 1 });
      return written === undefined ? ['file'] : [];
    };
  }
}

async function unlessStale<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StaleTokenError) return undefined;
    throw error;
  }
}
