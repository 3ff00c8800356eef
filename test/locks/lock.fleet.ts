import { afterEach, beforeEach } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockKinds } from '../../libs/distributed-lock/src/core/lock.kinds.js';
import type { Hold } from '../../libs/distributed-lock/src/holds/hold.js';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockKind } from '../../libs/distributed-lock/src/core/lock.kind.js';
import type { LockTarget } from '../../libs/distributed-lock/src/core/lock.target.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services, type ServicesSeat } from '../support/services.js';
import type { StoreView } from '../support/store.view.js';
import { until } from '../support/until.js';

/** Services that compete for the same locks, each a client of its own, as if in a process of its own. */
export interface Fleet {
  readonly one: LockService;
  readonly other: LockService;
  /** One more service, with further options. */
  open(options?: LockModuleSettings): Promise<LockService>;
  /** How many services sleep until somebody tells them that the lock `name` is free. */
  sleepers(name: string): Promise<number>;
  /** Takes the lock `name` away from its holder, as an operator at the store would. */
  wipe(name: string): Promise<void>;
  /** The holds that a service has of the lock `name`. */
  holds(service: LockService, name: string): readonly Hold[];
  /** Hears what a service would log. */
  notices(service: LockService): Notice[];
  /** Keys, subscriptions, queues and leases that there should not be when nobody holds or waits. */
  leftovers(): Promise<string[]>;
  /** Ends all services. @throws when anything is left behind */
  close(): Promise<void>;
}

/** A kind of lock, as the conformance suite needs to know it. */
export interface LockSubject {
  open(options?: LockModuleSettings): Promise<Fleet>;
  lock(service: LockService, name: string): Lock;
  /** Whether a scope that holds the lock may take it again. */
  readonly reentrant: boolean;
  /** Whether waiters of one service are granted in their order. */
  readonly fifo: boolean;
  /** How often each of a hundred callers takes it where that is the question: fewer times where each costs more. */
  readonly turns: number;
  /** Whether its leases and limits are tested: not where only the clock of the process, which is tested elsewhere, would be tested again. */
  readonly leases: boolean;
  /** What its holder ids look like. @default a uuid, a colon, a number */
  readonly holderId?: RegExp;
}

/** Services on one store, and what is in it. */
export interface FleetServices extends Pick<Services, 'keys' | 'channels' | 'close'> {
  open(options?: LockModuleSettings): Promise<LockService>;
  readonly store: Pick<StoreView, 'listeners' | 'delete' | 'refill' | 'permitsTaken'>;
}

/** A fleet on a store of any kind. */
export class StoreFleet<S extends FleetServices = FleetServices> implements Fleet {
  readonly #opened: LockService[] = [];

  protected constructor(
    readonly services: S,
    readonly one: LockService,
    readonly other: LockService,
    private readonly options: LockModuleSettings,
    private readonly kind: keyof LockKinds,
  ) {
    this.#opened.push(one, other);
  }

  static async on<T extends FleetServices>(
    services: T,
    options: LockModuleSettings,
    kind: keyof LockKinds,
  ): Promise<StoreFleet<T>> {
    const [one, other] = await Promise.all([services.open(options), services.open(options)]);
    if (kind === 'permit') await oneOfEach(one);
    return new StoreFleet(services, one, other, options, kind);
  }

  /** The lock's name in Redis. */
  key(name: string): string {
    return this.one.settings.mapName(name);
  }

  channel(name: string): string {
    return this.#target(this.one, name).channel;
  }

  async open(options: LockModuleSettings = {}): Promise<LockService> {
    const service = await this.services.open({ ...this.options, ...options });
    this.#opened.push(service);
    return service;
  }

  async sleepers(name: string): Promise<number> {
    const { publishesRelease, form } = this.#kind(this.one);
    // Those behind a holder of their own service sleep until that one wakes them.
    const away = this.#opened.filter((service) => this.holds(service, name).length === 0);
    if (!publishesRelease) return away.filter((service) => this.#hasWaiters(service, name)).length;
    if (form === 'shared')
      return away.filter(
        (service) =>
          this.#hasWaiters(service, name) &&
          service.engine.context.subscriptions.isActive(this.channel(name)),
      ).length;
    if (form !== 'queued') return await this.services.store.listeners(this.channel(name));
    // Each waiter listens to a channel of its own, which ends with its holder id.
    const channels = await this.services.channels();
    return away.filter(({ engine }) =>
      channels.some((channel) => channel.startsWith(`${this.channel(name)}:${engine.context.ids.client}:`)),
    ).length;
  }

  holds(service: LockService, name: string): readonly Hold[] {
    return service.engine.localLocks.get(this.#target(service, name).id)?.holds ?? [];
  }

  #hasWaiters(service: LockService, name: string): boolean {
    return service.engine.localLocks.get(this.#target(service, name).id)?.hasWaiters === true;
  }

  #kind({ engine }: LockService): LockKind {
    return engine.context.kinds[this.kind];
  }

  #target(service: LockService, name: string): LockTarget {
    return service.engine.names.target(this.#kind(service), name);
  }

  async wipe(name: string): Promise<void> {
    const { store } = this.services;
    if (this.kind === 'permit') await store.refill(this.key(name));
    else await store.delete([this.key(name)]);
  }

  notices(service: LockService): Notice[] {
    const heard: Notice[] = [];
    service.engine.context.notices.listen((notice) => heard.push(notice));
    return heard;
  }

  async leftovers(): Promise<string[]> {
    const inRedis = [...(await this.#keysLeft()), ...(await this.services.channels())];
    const inProcess = this.#opened.flatMap(({ engine: { localLocks, context } }, index) => {
      const sizes = {
        lines: localLocks.size,
        leases: context.watchdog.size,
        channels: context.subscriptions.size,
        retirements: context.backgroundRelease.size,
      };
      return Object.entries(sizes).flatMap(([what, size]) =>
        size === 0 ? [] : [`${size} ${what} of service ${index}`],
      );
    });
    return [...inRedis, ...inProcess];
  }

  /** Keys but for those that are there to stay: the fencing token of a name, and the permits of a semaphore that nobody has. */
  async #keysLeft(): Promise<string[]> {
    const { store } = this.services;
    const keys = (await this.services.keys()).filter((key) => !key.startsWith('redisson_lock_token:'));
    if (this.kind !== 'permit') return keys;
    const taken = keys.filter((key) => key.endsWith(':timeout'));
    // Permits whose lease is over are taken back by whoever comes next.
    const live = await Promise.all(taken.map((key) => store.permitsTaken(key)));
    return taken.filter((_, index) => live[index] !== 0);
  }

  async close(): Promise<void> {
    let left: string[] = [];
    try {
      await until('nothing is left behind', async () => (left = await this.leftovers()).length === 0);
    } catch (error) {
      throw new Error(`left behind: ${left.join(', ')}`, { cause: error });
    } finally {
      await this.services.store.delete(await this.services.keys());
      await this.services.close();
    }
    const timers = this.#opened.map(({ engine }) => engine.context.wheel.size);
    if (timers.some((size) => size > 0)) throw new Error(`timers left after the end: ${timers.join(', ')}`);
  }
}

/** A fleet on a real Redis. */
export class RedisFleet extends StoreFleet<Services> {
  /** @param source another Redis than the one that all tests share */
  static open(
    options: LockModuleSettings = {},
    source?: RedisSource,
    kind: keyof LockKinds = 'reentrant',
    seat: ServicesSeat = {},
  ): Promise<RedisFleet> {
    return StoreFleet.on(new Services(source, seat), options, kind);
  }
}

/** The names that the suites use are semaphores of one permit each. */
async function oneOfEach(service: LockService): Promise<void> {
  const names = ['x', 'y', 'the request', ...Array.from({ length: 10 }, (_, index) => `${index}`)];
  await Promise.all(names.map((name) => service.getPermitExpirableSemaphore(name).trySetPermits(1)));
}

/** A new fleet for each test of the enclosing `describe`, which is ended, and looked through for leftovers, after it. */
export function fleetOf(subject: LockSubject, options: LockModuleSettings = {}): () => Fleet {
  let fleet: Fleet | undefined;
  beforeEach(async () => {
    fleet = await subject.open(options);
  });
  afterEach(async () => {
    await fleet?.close();
  });
  return () => {
    if (fleet === undefined) throw new Error('there is no fleet outside of a test');
    return fleet;
  };
}

/** Holds `lock` while `meanwhile` runs. */
export async function behind<T>(lock: Lock, meanwhile: () => T): Promise<T> {
  const held = await lock.lock();
  try {
    return meanwhile();
  } finally {
    await held.unlock();
  }
}
