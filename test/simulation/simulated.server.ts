import { MemoryStore } from '../../libs/distributed-lock/src/memory/memory.store.js';
import { toBytes, type ScriptAnswer } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import type {
  ScriptCommand,
  ScriptWords,
} from '../../libs/distributed-lock/src/client-port/script.command.js';
import { ServerRefusals } from './server.refusals.js';
import { EPOCH } from './simulated.machine.js';
import { SimulatedProcess } from './simulated.process.js';
import { StoredPermits } from './stored.permits.js';
import type { World } from './world.js';

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
  readonly refusals: ServerRefusals;
  /** Whether it takes connections. */
  isUp = true;
  /** How often it was started. */
  runs = 1;
  /** When it was started. */
  upSince = 0;

  constructor(
    protected readonly world: World,
    readonly name = 'server',
  ) {
    this.process = new SimulatedProcess(world.seed, name);
    this.store = world.as(this.process, () => new MemoryStore());
    this.refusals = new ServerRefusals(world, this.store.keys);
  }

  /** A restart: every connection breaks, and there is no new one until it is up again. */
  restart(downFor: number): void {
    this.isUp = false;
    this.process.stoppedUntil = -Infinity;
    this.refusals.forgetScripts();
    for (const connection of [...this.connections]) connection.cut('the server restarts');
    this.world.after(this.world.outside, downFor, 'the server is up', () => {
      this.isUp = true;
      this.runs += 1;
      this.upSince = this.world.now;
    });
  }

  /** Its wall clock is set, by which it counts leases. */
  stepClock(by: number): void {
    this.process.wallOffset += by;
    this.process.leaseOffset += by;
  }

  /** Runs a script for a client. */
  answer(how: ScriptCommand, words: ScriptWords): ScriptAnswer {
    const checked = this.refusals.check(how, words);
    return checked instanceof RedisFailure ? { failure: checked } : this.store.scripts.answer(checked);
  }

  /** The fields of a hash, as a person with redis-cli reads them. */
  hash(key: string): ReadonlyMap<string, string> {
    return this.world.as(this.process, () => this.store.keys.read(toBytes(key), 'hash') ?? new Map());
  }

  /** A number; undefined where there is none. */
  count(key: string): number | undefined {
    const text = this.world.as(this.process, () => this.store.keys.read(toBytes(key), 'string')?.value);
    return text === undefined ? undefined : Number(text);
  }

  /** The permits of a semaphore that are taken. */
  permits(key: string): StoredPermits {
    const expiries = this.world.as(this.process, () =>
      this.store.keys.read(toBytes(`{${key}}:timeout`), 'zset'),
    );
    return new StoredPermits(
      expiries ?? new Map(),
      EPOCH + Math.floor(this.world.now + this.process.wallOffset),
    );
  }

  list(key: string): readonly string[] {
    return this.world.as(this.process, () => this.store.keys.read(toBytes(key), 'list') ?? []);
  }

  /** What is left of a key's lease, in ms; below 0 for none. */
  ttl(key: string): number {
    return this.world.as(this.process, () => this.store.keys.ttl(toBytes(key)));
  }

  has(key: string): boolean {
    return this.world.as(this.process, () => this.store.keys.typeOf(toBytes(key)) !== undefined);
  }

  keyNames(): readonly string[] {
    return this.world.as(this.process, () => this.store.keyNames());
  }
}
