import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import { lockChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { StoreView } from '../support/store.view.js';
import { closeSource, type TopologySource } from '../support/topology/topology.source.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { until } from '../support/until.js';

/** How many services wait. */
const SERVICES = 3;

/** A hold that is waited for, and when each waiter had its turn at last, in their order. */
export interface Scene {
  readonly held: LockHandle;
  readonly turns: Promise<number[]>;
}

/** A service that holds, and some that wait, while servers come and go. */
export class Crowd {
  readonly #services: Services;
  #inside = 0;
  /** The most that ever had a lock at once. */
  most = 0;

  private constructor(
    private readonly source: TopologySource,
    private readonly store: StoreView,
    private readonly holder: LockService,
    private readonly waiters: readonly LockService[],
    services: Services,
  ) {
    this.#services = services;
  }

  static async open(source: TopologySource, options: LockModuleSettings): Promise<Crowd> {
    const store = StoreView.at(source);
    // It sees the servers go and come as well, and finds them again.
    store.client.on('error', () => undefined);
    const services = new Services(source, { store });
    const opening = Array.from({ length: SERVICES }, () => services.open(options));
    return new Crowd(source, store, await services.open(options), await Promise.all(opening), services);
  }

  key(name: string): string {
    return this.#services.prefix + name;
  }

  slot(name: string): number {
    return slotOf(this.key(name));
  }

  /** One holds the lock, and `count` sleep for it: each that gets it lets go again. */
  async gather(name: string, count: number): Promise<Scene> {
    const held = await this.holder.getLock(name).lock();
    const turns = Promise.all(Array.from({ length: count }, (_, index) => this.#turn(name, index)));
    // A test that fails before it waits for them has one failure, and not one more outside of all tests.
    turns.catch(() => undefined);
    await this.asleep(name);
    return { held, turns };
  }

  /** Waits until every service that waits listens. */
  async asleep(name: string): Promise<void> {
    const key = this.key(name);
    // In a queue of processes each has a place; elsewhere each listens.
    const places = () => this.store.client.zcount(suffixName(key, 'waiting'), 1, '+inf').catch(() => 0);
    const listening = () => this.store.listeners(lockChannel(key)).catch(() => 0);
    const asleep = async () => Math.max(await places(), await listening());
    await until('all sleep', async () => (await asleep()) === SERVICES, 10_000);
  }

  /** Waits until replicas have a key: what they have not when their master dies is gone. */
  async copied(name: string, replicas: readonly TopologyServer[]): Promise<void> {
    const has = async ({ admin }: TopologyServer) => (await admin.keys('*')).includes(this.key(name));
    await until('it is copied', async () => (await Promise.all(replicas.map(has))).every(Boolean));
  }

  /** How long from now until the service that holds gets what nobody has, in ms. */
  async recovered(name: string): Promise<number> {
    const from = performance.now();
    let trouble: unknown;
    const take = async () => {
      const handle = await this.holder
        .getLock(name)
        .tryLock()
        .catch((error: unknown) => {
          trouble = error;
          return null;
        });
      return (await handle?.unlock()) === 'released';
    };
    await until('a lock can be had', take, 20_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${String(trouble)}`, { cause: trouble });
    });
    return Math.round(performance.now() - from);
  }

  /** Lets go, and waits for all turns. @returns how long after the release the first and the last came, in ms */
  async settle({ held, turns }: Scene): Promise<readonly [first: number, last: number]> {
    const from = performance.now();
    await held.unlock();
    const times = (await turns).map((turn) => Math.round(turn - from));
    return [Math.min(...times), Math.max(...times)];
  }

  /** Ends all. @throws when anything is left behind */
  async close(): Promise<void> {
    let left: string[] = [];
    const look = async () => {
      left = [...(await this.#services.keys()), ...(await this.#services.channels())];
      return left.length === 0;
    };
    try {
      await until('nothing is left', () => look().catch(() => false), 10_000);
    } catch (error) {
      const { status } = this.store.client;
      throw new Error(`left behind: ${left.join(', ')} (the view is ${status})`, { cause: error });
    } finally {
      await this.#services.close();
      this.store.close();
      closeSource(this.source);
    }
  }

  async #turn(name: string, index: number): Promise<number> {
    const service = this.waiters[index % this.waiters.length] ?? this.holder;
    const handle = await service.getLock(name).lock();
    const granted = performance.now();
    this.most = Math.max(this.most, (this.#inside += 1));
    await Promise.resolve();
    this.#inside -= 1;
    await handle.unlock();
    return granted;
  }
}
