import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import { MemoryStore } from '../../libs/distributed-lock/src/memory/memory.store.js';
import { toBytes } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import type { ScriptWords } from '../../libs/distributed-lock/src/redis/script.command.js';
import { SimulatedProcess } from './simulated.process.js';
import type { World } from './world.js';

/** What a script gave: a reply, or an error reply. */
export type ScriptAnswer = { readonly reply: unknown } | { readonly failure: RedisFailure };

/** A connection, as the server ends it. */
export interface ServerConnection {
  /** The connection is gone, for both ends. */
  cut(why: string): void;
}

/** One server: the library's own scripts on a store in memory. */
export class SimulatedServer {
  readonly process: SimulatedProcess;
  readonly store: MemoryStore;
  readonly connections = new Set<ServerConnection>();
  /** Whether it takes connections. */
  isUp = true;

  constructor(private readonly world: World) {
    this.process = new SimulatedProcess(world.seed, 'server');
    this.store = world.as(this.process, () => new MemoryStore());
  }

  /** Runs a script, in an event of the server. */
  run([script = '', keys, ...rest]: ScriptWords): ScriptAnswer {
    const count = Number(keys);
    try {
      return { reply: this.store.scripts.run(script, rest.slice(0, count), rest.slice(count)) };
    } catch (error) {
      if (error instanceof RedisFailure) return { failure: error };
      throw error;
    }
  }

  /** A restart that keeps its data: every connection breaks, and there is no new one until it is up again. */
  restart(downFor: number): void {
    this.isUp = false;
    for (const connection of [...this.connections]) connection.cut('the server restarts');
    this.world.after(this.world.outside, downFor, 'the server is up', () => {
      this.isUp = true;
    });
  }

  /** The fields of a hash, as a person with redis-cli reads them. */
  hash(key: string): ReadonlyMap<string, string> {
    return this.world.as(this.process, () => this.store.keys.read(toBytes(key), 'hash') ?? new Map());
  }

  has(key: string): boolean {
    return this.world.as(this.process, () => this.store.keys.typeOf(toBytes(key)) !== undefined);
  }

  keyNames(): readonly string[] {
    return this.world.as(this.process, () => this.store.keyNames());
  }
}
