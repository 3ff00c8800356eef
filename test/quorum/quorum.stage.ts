import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type {
  LockModuleSettings,
  RedLockTimes,
} from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { uniquePrefix } from '../support/services.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';

/** What services of a test are opened with; a server that has just started counts at once, where nothing else is said. */
export interface QuorumOptions extends LockModuleSettings {
  readonly redLock?: RedLockTimes;
}

/** Lets time pass in which something should not happen. */
export async function passed(ms: number): Promise<void> {
  const end = performance.now() + ms;
  await until(`${ms} ms are over`, () => performance.now() >= end, ms + 5000);
}

/** Unlocks each as soon as it is granted, whoever is first. */
export async function unlockAll(waiting: readonly Promise<LockHandle>[]): Promise<string[]> {
  return await Promise.all(waiting.map(async (granted) => await (await granted).unlock()));
}

/** One of the independent servers: it can be killed, and started again on its port, where it knows nothing any more. */
export class QuorumSeat {
  /** Looks at the server as any other client would. */
  readonly admin: Redis;
  isUp = true;
  #isPaused = false;

  private constructor(private redis: RunningRedis) {
    this.admin = new Redis(redis.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    this.admin.on('error', () => undefined);
  }

  static async open(): Promise<QuorumSeat> {
    return new QuorumSeat(await startRedis());
  }

  get url(): string {
    return this.redis.url;
  }

  get port(): number {
    return this.redis.port;
  }

  async kill(): Promise<void> {
    this.isUp = false;
    this.#isPaused = false;
    await this.redis.kill();
  }

  async start(): Promise<void> {
    if (this.isUp) return;
    this.redis = await startRedis({ port: this.port });
    this.isUp = true;
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.redis.pause();
  }

  async resume(): Promise<void> {
    if (this.#isPaused) await this.redis.resume();
    this.#isPaused = false;
  }

  async close(): Promise<void> {
    this.admin.disconnect();
    if (this.isUp) await this.redis.stop();
  }
}

/** Independent servers, ways to them that can be broken, and services that lock on them. */
export class QuorumStage {
  readonly prefix = uniquePrefix();
  readonly #opened: LockService[] = [];
  readonly #proxies: TcpProxy[] = [];

  private constructor(readonly seats: readonly QuorumSeat[]) {}

  static async open(count = 5): Promise<QuorumStage> {
    return new QuorumStage(await Promise.all(Array.from({ length: count }, () => QuorumSeat.open())));
  }

  /** The servers of these numbers, from 0. */
  some(...numbers: readonly number[]): QuorumSeat[] {
    return this.seats.filter((_, number) => numbers.includes(number));
  }

  async kill(...numbers: readonly number[]): Promise<void> {
    await Promise.all(this.some(...numbers).map((seat) => seat.kill()));
  }

  /** Starts what was killed, and resumes what was stopped. */
  async heal(...numbers: readonly number[]): Promise<void> {
    const seats = numbers.length === 0 ? this.seats : this.some(...numbers);
    await Promise.all(seats.map((seat) => seat.resume()));
    await Promise.all(seats.map((seat) => seat.start()));
    for (const proxy of this.#proxies) proxy.restore();
  }

  /** A way to the server of that number. */
  async proxy(number: number): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(this.seats[number]?.port ?? 0);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** @param ways proxies to go by instead of the direct way, by the server's number */
  async open(
    { redLock = { restartDelay: 0 }, ...options }: QuorumOptions = {},
    ways: Readonly<Record<number, TcpProxy>> = {},
  ): Promise<LockService> {
    const settings = readSettings({
      namePrefix: this.prefix,
      commandTimeout: 300,
      shutdownTimeout: 200,
      ...options,
      redLock,
    });
    const urls = this.seats.map(({ url }, number) => ways[number]?.url ?? url);
    const service = await openLockService(settings, inject('redisUrl'), urls);
    this.#opened.push(service);
    return service;
  }

  /** As {@link open}, and every server that is up has been connected to, and counts. */
  async openAll(options?: QuorumOptions, ways?: Readonly<Record<number, TcpProxy>>): Promise<LockService> {
    const service = await this.open(options, ways);
    await this.untilCounted(service);
    return service;
  }

  /** The service counts all servers that are up. */
  async untilCounted(service: LockService, within?: number): Promise<void> {
    const counted = () => service['red']?.servers.filter(({ trouble }) => trouble === undefined).length;
    await until(
      'the servers count',
      () => counted() === this.seats.filter(({ isUp }) => isUp).length,
      within,
    );
  }

  /** On how many servers a service has the lock, by its own books. */
  holds(service: LockService, name: string): number {
    const engines = service['red']?.servers.map(({ engine }) => engine) ?? [];
    return engines.filter(({ localLocks }) => (localLocks.get(this.prefix + name)?.holds.length ?? 0) > 0)
      .length;
  }

  /** The holder of the lock on each server; undefined where it is free, or nobody can be asked. */
  async holders(name: string): Promise<(string | undefined)[]> {
    return await Promise.all(
      this.seats.map(async ({ isUp, admin }) =>
        isUp ? Object.keys(await admin.hgetall(this.prefix + name))[0] : undefined,
      ),
    );
  }

  /** The hold count of the lock on each server. */
  async counts(name: string): Promise<(string | undefined)[]> {
    return await Promise.all(
      this.seats.map(async ({ admin }) => Object.values(await admin.hgetall(this.prefix + name))[0]),
    );
  }

  /** On how many servers the lock has a key. */
  async keys(name: string): Promise<number> {
    return (await this.holders(name)).filter((holder) => holder !== undefined).length;
  }

  /** On how many servers how many services listen for a release of the lock. */
  async sleepers(name: string): Promise<number[]> {
    const channel = `redisson_lock__channel:{${this.prefix}${name}}`;
    return await Promise.all(
      this.seats.map(async ({ isUp, admin }) =>
        isUp ? Number((await admin.pubsub('NUMSUB', channel))[1]) : 0,
      ),
    );
  }

  async untilAsleep(name: string, services = 1): Promise<void> {
    await until(`${services} services listen on every server`, async () => {
      const counts = await this.sleepers(name);
      return counts.every((count, number) => count === services || this.seats[number]?.isUp !== true);
    });
  }

  /** Somebody of whom no service here knows has the lock on these servers. */
  async occupy(name: string, numbers: readonly number[], lease = 60_000): Promise<void> {
    await Promise.all(
      this.some(...numbers).map(({ admin }) =>
        admin
          .multi()
          .hset(this.prefix + name, 'stranger:1', 1)
          .pexpire(this.prefix + name, lease)
          .exec(),
      ),
    );
  }

  /** Takes the key away, without a word to anybody. */
  async wipe(name: string, ...numbers: readonly number[]): Promise<void> {
    await Promise.all(this.some(...numbers).map(({ admin }) => admin.del(this.prefix + name)));
  }

  /** Keys, and channels with a listener. */
  async leftovers(): Promise<string[]> {
    const looks = this.seats.map(async ({ admin }) => [
      ...(await admin.keys('*')),
      ...(await admin.pubsub('CHANNELS', '*')).map((channel) => `channel ${String(channel)}`),
    ]);
    return (await Promise.all(looks)).flat();
  }

  /** @throws when a server has a key or a listener left, or a service a timer, while the services are open */
  async expectNothingLeft(): Promise<void> {
    await until('nothing is left', async () => {
      const timers = this.#opened.reduce((sum, { engine }) => sum + engine.context.wheel.size, 0);
      return timers === 0 && (await this.leftovers()).length === 0;
    });
  }

  /** Ends the services, and lets everything that was away come back. */
  async clear(): Promise<void> {
    await this.heal();
    await Promise.all(this.#opened.splice(0).map((service) => service.shutDown()));
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.close()));
    await Promise.all(this.seats.map(({ admin }) => admin.flushall()));
  }

  async close(): Promise<void> {
    await this.clear();
    await Promise.all(this.seats.map((seat) => seat.close()));
  }
}
