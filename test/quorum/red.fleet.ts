import type { Lock, Lockable, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { Hold } from '../../libs/distributed-lock/src/holds/hold.js';
import type { LockEngine } from '../../libs/distributed-lock/src/locks/lock.engine.js';
import { currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { LockState } from '../../libs/distributed-lock/src/replies/lock.replies.js';
import type { Fleet } from '../locks/lock.fleet.js';
import { until } from '../support/until.js';
import type { QuorumStage } from './quorum.stage.js';

const enginesOf = (service: LockService): LockEngine[] =>
  service['red']?.servers.map(({ engine }) => engine) ?? [];

/** A red lock with what a lock of one server has beside: what the majority of the servers says. */
export class RedAsLock implements Lock {
  readonly #lock: Lockable;

  constructor(
    private readonly service: LockService,
    readonly name: string,
  ) {
    this.#lock = service.getRedLock(name);
  }

  lock(...options: Parameters<Lockable['lock']>): Promise<LockHandle> {
    return this.#lock.lock(...options);
  }

  tryLock(...options: Parameters<Lockable['tryLock']>): Promise<LockHandle | null> {
    return this.#lock.tryLock(...options);
  }

  using: Lockable['using'] = (work, options) => this.#lock.using(work, options);

  isHeld(): boolean {
    return this.#lock.isHeld();
  }

  async isLocked(): Promise<boolean> {
    return (await this.#middle()).isLocked;
  }

  async getHoldCount(): Promise<number> {
    const holder = this.isHeld() ? currentLock()?.holder : undefined;
    const states = await this.#onAll((engine) => engine.inspect(this.#target(engine), holder));
    return Math.max(...states.map(({ count }) => count));
  }

  async remainTimeToLive(): Promise<number> {
    return (await this.#middle()).ttl;
  }

  async forceUnlock(): Promise<boolean> {
    const freed = await this.#onAll((engine) => engine.forceUnlock(this.#target(engine)));
    return freed.some(Boolean);
  }

  /** The state that a majority has, or is beyond. */
  async #middle(): Promise<LockState> {
    const states = await this.#onAll((engine) => engine.inspect(this.#target(engine)));
    const state = states.toSorted((a, b) => a.ttl - b.ttl)[Math.floor(states.length / 2)];
    if (state === undefined) throw new Error('there are no servers');
    return state;
  }

  #onAll<T>(ask: (engine: LockEngine) => Promise<T>): Promise<T[]> {
    return Promise.all(enginesOf(this.service).map(ask));
  }

  #target(engine: LockEngine) {
    return engine.names.target(engine.context.kinds.reentrant, this.name);
  }
}

/** Services that compete for red locks on the servers of a stage. */
export class RedFleet implements Fleet {
  readonly #opened: LockService[] = [];

  private constructor(
    private readonly stage: QuorumStage,
    readonly one: LockService,
    readonly other: LockService,
  ) {
    this.#opened.push(one, other);
  }

  static async open(stage: QuorumStage, options: LockModuleSettings = {}): Promise<RedFleet> {
    const open = () => stage.openAll({ commandTimeout: 1000, ...options });
    return new RedFleet(stage, await open(), await open());
  }

  async open(options: LockModuleSettings = {}): Promise<LockService> {
    const service = await this.stage.openAll({ commandTimeout: 1000, ...options });
    this.#opened.push(service);
    return service;
  }

  async sleepers(name: string): Promise<number> {
    return Math.min(...(await this.stage.sleepers(name)));
  }

  async wipe(name: string): Promise<void> {
    await this.stage.wipe(name, ...this.stage.seats.keys());
  }

  holds(service: LockService, name: string): readonly Hold[] {
    return enginesOf(service).flatMap(
      ({ localLocks }) => localLocks.get(this.stage.prefix + name)?.holds ?? [],
    );
  }

  notices(service: LockService): Notice[] {
    const heard: Notice[] = [];
    service.engine.context.notices.listen((notice) => heard.push(notice));
    return heard;
  }

  async leftovers(): Promise<string[]> {
    const inProcess = this.#opened.flatMap(enginesOf).flatMap(({ localLocks, context }, index) => {
      const sizes = {
        lines: localLocks.size,
        leases: context.watchdog.size,
        channels: context.subscriptions.size,
        retirements: context.backgroundRelease.size,
      };
      return Object.entries(sizes).flatMap(([what, size]) =>
        size === 0 ? [] : [`${size} ${what} of engine ${index}`],
      );
    });
    return [...(await this.stage.leftovers()), ...inProcess];
  }

  async close(): Promise<void> {
    let left: string[] = [];
    try {
      await until('nothing is left behind', async () => (left = await this.leftovers()).length === 0);
    } catch (error) {
      throw new Error(`left behind: ${left.join(', ')}`, { cause: error });
    } finally {
      await this.stage.clear();
    }
    const timers = this.#opened.map(({ engine }) => engine.context.wheel.size);
    if (timers.some((size) => size > 0)) throw new Error(`timers left after the end: ${timers.join(', ')}`);
  }
}
