import type { Redis, RedisOptions } from 'ioredis';
import { inject } from 'vitest';
import type { LockModuleSettings } from '../../../libs/distributed-lock/src/contracts/module.options.js';
import type { Notice } from '../../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { startRedis } from '../../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../../tools/redis/redis.types.js';
import { Services } from '../services.js';
import { TcpProxy } from './tcp.proxy.js';
import { until } from '../until.js';
import type { FaultSettings } from '../../workers/faults/fault.protocol.js';
import { FaultWorker } from './fault.worker.js';

/** A Redis, ways to it that can be broken, and services on either; in the end nothing may be left of any of them. */
export class FaultStage {
  readonly services: Services;
  readonly #proxies: TcpProxy[] = [];
  readonly #opened: LockService[] = [];
  readonly #workers: FaultWorker[] = [];

  private constructor(
    readonly url: string,
    private own: RunningRedis | undefined,
  ) {
    this.services = new Services(url);
    // A Redis that is stopped on purpose is no news.
    this.admin.on('error', () => undefined);
  }

  /** On the Redis that all tests share. */
  static shared(): FaultStage {
    return new FaultStage(inject('redisUrl'), undefined);
  }

  /** On a Redis of its own, which can be stopped, and which nobody else sends commands to. */
  static async own(args: readonly string[] = []): Promise<FaultStage> {
    const redis = await startRedis({ args });
    return new FaultStage(redis.url, redis);
  }

  get redis(): RunningRedis {
    if (this.own === undefined) throw new Error('the shared Redis is not to be broken');
    return this.own;
  }

  /** Starts the Redis again where it was, empty, after it was killed. */
  async restart(): Promise<void> {
    this.own = await startRedis({ port: this.port });
  }

  /** A client that no proxy stands in the way of. */
  get admin(): Redis {
    return this.services.admin;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async proxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(this.port);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** A service on the direct way, behind a proxy, or by connection options of its own. */
  async open(options: LockModuleSettings = {}, via?: TcpProxy | RedisOptions): Promise<LockService> {
    const source = via instanceof TcpProxy ? via.url : (via ?? this.url);
    const service = await this.services.open(options, source);
    this.#opened.push(service);
    return service;
  }

  /** A process of its own on the direct way, or behind `proxy`. */
  async fork(
    script: 'hold.worker.js' | 'app.worker.js' | 'leader.worker.js',
    options: Partial<Omit<FaultSettings, 'redis' | 'namePrefix'>> = {},
    proxy?: TcpProxy,
  ): Promise<FaultWorker> {
    const worker = await FaultWorker.start(script, {
      redis: proxy?.url ?? this.url,
      namePrefix: this.services.prefix,
      lockWatchdogTimeout: 30_000,
      shutdownTimeout: 10_000,
      ...options,
    });
    this.#workers.push(worker);
    return worker;
  }

  /** The name of a lock in Redis. */
  key(name: string): string {
    return this.services.prefix + name;
  }

  /** Holder id → hold count, as it stands in Redis. */
  async counts(name: string): Promise<Record<string, string>> {
    return await this.admin.hgetall(this.key(name));
  }

  /** How many services listen for the release of a lock. */
  async sleepers(name: string): Promise<number> {
    const engine = this.#opened[0]?.engine;
    const channel = engine?.names.target(engine.context.kinds.reentrant, name).channel ?? '';
    const answer = await this.admin.pubsub('NUMSUB', channel);
    return Number(answer[1]);
  }

  notices(service: LockService): Notice[] {
    const heard: Notice[] = [];
    service.engine.context.notices.listen((notice) => heard.push(notice));
    return heard;
  }

  /** What there is in Redis and in the services, and should not be when nobody holds or waits. */
  async leftovers(): Promise<string[]> {
    const inProcess = this.#opened.flatMap(({ engine: { localLocks, context } }, index) =>
      Object.entries({
        lines: localLocks.size,
        leases: context.watchdog.size,
        channels: context.subscriptions.size,
        retirements: context.backgroundRelease.size,
        timers: context.wheel.size,
      }).flatMap(([what, size]) => (size === 0 ? [] : [`${size} ${what} of service ${index}`])),
    );
    return [...(await this.services.keys()), ...(await this.services.channels()), ...inProcess];
  }

  /** @throws when anything is left while the services are still open */
  async expectNothingLeft(within?: number): Promise<void> {
    let left: string[] = [];
    try {
      await until('nothing is left', async () => (left = await this.leftovers()).length === 0, within);
    } catch (error) {
      throw new Error(`left behind: ${left.slice(0, 20).join(', ')}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    for (const proxy of this.#proxies) proxy.restore();
    await this.services.close();
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.own?.stop();
  }
}
