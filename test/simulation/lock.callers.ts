import type {
  Lock,
  LockHandle,
  LockOptions,
} from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { DistributedLockError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Belief, BeliefWatch, Sharing } from './belief.watch.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS, type SimulatedInstance } from './simulated.instance.js';
import type { World } from './world.js';

/** A kind of lock, as callers use it. */
interface CalledKind {
  readonly name: string;
  readonly lock: (service: LockService, key: string) => Lock;
  readonly sharing: Sharing;
  /** Whether a scope may acquire it again. */
  readonly isReentrant: boolean;
  /** The first part of its keys: the sides of a read/write lock have the same ones. */
  readonly family: string;
}

const KINDS: readonly CalledKind[] = [
  {
    name: 'reentrant',
    lock: (service, key) => service.getLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'plain',
  },
  {
    name: 'fair',
    lock: (service, key) => service.getFairLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'fair',
  },
  {
    name: 'fenced',
    lock: (service, key) => service.getFencedLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'fenced',
  },
  {
    name: 'spin',
    lock: (service, key) => service.getSpinLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'spin',
  },
  {
    name: 'nonReentrant',
    lock: (service, key) => service.getNonReentrantLock(key),
    sharing: 'alone',
    isReentrant: false,
    family: 'single',
  },
  {
    name: 'write',
    lock: (service, key) => service.getReadWriteLock(key).writeLock(),
    sharing: 'alone',
    isReentrant: true,
    family: 'rw',
  },
  {
    name: 'read',
    lock: (service, key) => service.getReadWriteLock(key).readLock(),
    sharing: 'with readers',
    isReentrant: true,
    family: 'rw',
  },
];

/** So many locks of each kind. */
const NAMES = 2;

/** The longest wait of a caller, in ms. */
export const LONGEST_WAIT = 60_000;

/** How long a lock may be free while a caller of another process waits, in ms: an unsubscribed waiter asks each second. */
const FREE = { usual: 1500, fair: SETTINGS.watchdogTimeout + 1500 };

/** The counts of a run. */
export interface CallCounts {
  calls: number;
  grants: number;
  readonly refusals: Map<string, number>;
}

/** The callers of one instance: each acquires a lock, holds it for a while, and releases it, again and again. */
export class LockCallers {
  #isStopped = false;

  constructor(
    private readonly world: World,
    private readonly watch: BeliefWatch,
    private readonly counts: CallCounts,
    private readonly instance: SimulatedInstance,
  ) {}

  start(callers: number): void {
    for (let caller = 0; caller < callers; caller += 1)
      void this.#loop(new SeededDice(this.world.seed, `${this.instance.name} caller ${caller}`));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #loop(dice: SeededDice): Promise<void> {
    for (;;) {
      await this.#pause(dice.chance(0.3) ? 0 : dice.between(1, 60));
      if (this.#isStopped) return;
      await this.#call(dice);
    }
  }

  async #call(dice: SeededDice): Promise<void> {
    const kind = dice.pick(KINDS);
    const name = `${kind.family}.${dice.below(NAMES)}`;
    const key = SETTINGS.mapName(name);
    const lock = kind.lock(this.instance.service, name);
    const leaseTime = dice.chance(0.3) ? dice.between(150, 2500) : undefined;
    const waitTime = dice.chance(0.7) ? dice.between(100, 4000) : LONGEST_WAIT;
    const options = { waitTime, ...(leaseTime === undefined ? {} : { leaseTime }) };
    this.counts.calls += 1;
    try {
      if (dice.chance(0.15)) await this.#try(kind, key, lock, dice);
      else await this.#using(kind, key, lock, options, dice);
    } catch (error) {
      this.#expect(error);
    }
  }

  async #try(kind: CalledKind, key: string, lock: Lock, dice: SeededDice): Promise<void> {
    const handle = await lock.tryLock();
    if (handle === null) return;
    const belief = this.#begin(kind, key, handle);
    await this.#pause(dice.between(0, 30));
    this.watch.beliefs.delete(belief);
    await handle.unlock();
  }

  async #using(
    kind: CalledKind,
    key: string,
    lock: Lock,
    options: LockOptions,
    dice: SeededDice,
  ): Promise<void> {
    const bound = kind.name === 'fair' ? FREE.fair : FREE.usual;
    const wish = { instance: this.instance, key, since: this.world.now, bound };
    this.watch.wishes.add(wish);
    let belief: Belief | undefined;
    try {
      await lock.using(async (handle) => {
        this.watch.wishes.delete(wish);
        belief = this.#begin(kind, key, handle);
        await this.#work(kind, key, lock, handle, dice);
      }, options);
    } finally {
      this.watch.wishes.delete(wish);
      if (belief !== undefined) this.watch.beliefs.delete(belief);
    }
  }

  async #work(
    kind: CalledKind,
    key: string,
    lock: Lock,
    handle: LockHandle,
    dice: SeededDice,
  ): Promise<void> {
    await this.#pause(dice.chance(0.8) ? dice.between(0, 40) : dice.between(40, 4500));
    if (kind.isReentrant && dice.chance(0.2)) {
      await lock.using(async (inner) => {
        const belief = this.#begin(kind, key, inner);
        await this.#pause(dice.between(0, 60));
        this.watch.beliefs.delete(belief);
      });
    }
    if (dice.chance(0.1)) await handle.extend(dice.between(200, 2000));
  }

  #begin({ sharing, name }: CalledKind, key: string, handle: LockHandle): Belief {
    this.counts.grants += 1;
    this.world.note(`granted ${name} ${key} to ${handle.holder}`);
    const belief = { instance: this.instance, key, sharing, handle };
    this.watch.beliefs.add(belief);
    return belief;
  }

  #expect(error: unknown): void {
    const code = error instanceof DistributedLockError ? error.code : String(error);
    this.counts.refusals.set(code, (this.counts.refusals.get(code) ?? 0) + 1);
    if (!(error instanceof DistributedLockError)) this.watch.report('error', String(error));
  }

  #pause(duration: number): Promise<void> {
    return new Promise((resolve) => void this.world.after(this.instance.process, duration, '', resolve));
  }
}

/** Uses each lock once. */
export function usesOfEachLock(service: LockService): Promise<void>[] {
  return KINDS.flatMap(({ family, lock }) =>
    Array.from({ length: NAMES }, (_, name) => lock(service, `${family}.${name}`).using(() => undefined)),
  );
}
