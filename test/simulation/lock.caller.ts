import type {
  Lock,
  LockHandle,
  LockOptions,
} from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { DistributedLockError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { Belief } from './belief.js';
import type { BeliefWatch } from './belief.watch.js';
import { CallerLoop, type CallerPlace } from './caller.loop.js';
import { KINDS, LEADER, NAMES, type CalledKind } from './called.kinds.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS } from './simulated.instance.js';

/** The longest wait of a caller, in ms. */
export const LONGEST_WAIT = 60_000;

/** How long a lock may be free while a caller of another process waits, in ms: an unsubscribed waiter asks each second. */
export const FREE = 1500;

/** The same where a waiter that is dead may come first: in a queue for 3 s, and a writer keeps readers out for 2.25 s (docs/protocol.md). */
export const FREE_AFTER: Readonly<Record<string, number> & Record<'fair' | 'read', number>> = {
  fair: 3000 + FREE,
  read: 2250 + FREE,
};

/** The same in the queue of processes where two of them were hurt at once: its two listeners check every 3 s. */
export const FREE_QUEUED = 3000 + FREE;

/** The kinds whose processes wait in that queue. */
const QUEUED: ReadonlySet<string> = new Set(['reentrant', 'nonReentrant', 'fenced', 'write']);

export function boundOfTwo({ name }: CalledKind): number | undefined {
  return QUEUED.has(name) ? FREE_QUEUED : undefined;
}

/** What a caller asks for. */
interface Call {
  readonly kind: CalledKind;
  readonly name: string;
  readonly key: string;
  readonly lock: Lock;
  readonly since: number;
  /** Undefined: the watchdog renews it. */
  readonly leaseTime: number | undefined;
  /** The belief in whose scope it calls. */
  readonly outer?: Belief;
}

/** Acquires a lock, holds it for a while, and releases it. */
export class LockCaller extends CallerLoop<BeliefWatch> {
  /** Dice of their own, so that a run without them goes as it went before they were there. */
  readonly #reads: SeededDice;
  /** In some runs scopes that write read again and again: a fault of that needs many of them. */
  readonly #readsAgain: boolean;

  constructor(place: CallerPlace<BeliefWatch>, name: string) {
    super(place, name);
    const { seed } = place.world;
    this.#reads = new SeededDice(seed, `${place.instance.name} ${name} reads`);
    this.#readsAgain = new SeededDice(seed, 'reads again').chance(0.3);
  }

  protected async call(): Promise<void> {
    const { dice } = this;
    const { world, service } = this.place;
    const kind = dice.pick(KINDS);
    const name = `${kind.family}.${dice.below(NAMES)}`;
    const lock = kind.lock(service, name);
    const leaseTime = this.#leaseTime();
    const waitTime = dice.chance(0.7) ? dice.between(100, 4000) : LONGEST_WAIT;
    const call = { kind, name, key: SETTINGS.mapName(name), lock, since: world.now, leaseTime };
    if (dice.chance(0.15)) await this.#try(call);
    else await this.#using(call, { waitTime, leaseTime, signal: this.signal() });
  }

  #leaseTime(): number | undefined {
    return this.dice.chance(0.3) ? this.dice.between(150, 2500) : undefined;
  }

  async #try(call: Call): Promise<void> {
    const handle = await call.lock.tryLock();
    if (handle === null) return;
    const belief = this.#begin(call, handle);
    await this.pause(this.dice.between(0, 30));
    this.place.watch.end(belief);
    await handle.unlock();
    this.place.world.history?.answer(belief);
  }

  async #using(call: Call, options: LockOptions & { readonly waitTime: number }): Promise<void> {
    const { kind, key, since, lock } = call;
    const { watch, instance, world } = this.place;
    const bound = FREE_AFTER[kind.name] ?? FREE;
    const hasOthersBefore = kind.name in FREE_AFTER;
    const wish = { instance, key, since, bound, boundOfTwo: boundOfTwo(kind), hasOthersBefore };
    watch.wishes.add(wish);
    let granted: Belief | undefined;
    try {
      await lock.using(async (handle) => {
        watch.wishes.delete(wish);
        if (kind.family === 'fair') watch.checkTurn(wish);
        const belief = this.#begin(call, handle);
        granted = belief;
        await this.#work({ ...call, outer: belief }, handle).finally(() => watch.end(belief));
      }, options);
      world.history?.answer(granted);
    } catch (error) {
      if (watch.wishes.has(wish)) this.expectPatience(error, { since, waitTime: options.waitTime });
      throw error;
    } finally {
      watch.wishes.delete(wish);
    }
  }

  async #work(call: Call, handle: LockHandle): Promise<void> {
    const { dice } = this;
    const { watch, service, world } = this.place;
    await this.pause(dice.chance(0.8) ? dice.between(0, 40) : dice.between(40, 4500));
    const { kind } = call;
    if (kind.isReentrant && dice.chance(0.2)) {
      const leaseTime = this.#leaseTime();
      const reader = dice.chance(0.5) ? kind.inner?.(service, call.name) : undefined;
      const sharing = reader === undefined ? kind.sharing : 'with readers';
      const since = world.now;
      let belief: Belief | undefined;
      await (reader ?? call.lock).using(
        async (inner) => {
          belief = this.#begin({ ...call, kind: { ...kind, sharing }, since, leaseTime }, inner);
          await this.pause(dice.between(0, 60));
          watch.beliefs.delete(belief);
        },
        { leaseTime },
      );
      world.history?.answer(belief);
    }
    const reader = this.#readsAgain ? kind.inner?.(service, call.name) : undefined;
    if (reader !== undefined && this.#reads.chance(0.5))
      await Promise.all(
        Array.from({ length: this.#reads.between(1, 2) }, () => this.#readAgain({ ...call, lock: reader })),
      );
    if (dice.chance(0.1)) await handle.extend(dice.between(200, 2000));
  }

  /**
   * Reads one time after the other, all under the holder id of the scope. An extension is not waited for: the next read may come while
   * the one before is lost and its extension is under way.
   */
  async #readAgain(call: Call): Promise<void> {
    const dice = this.#reads;
    const { watch, world } = this.place;
    for (let left = dice.between(1, 4); left > 0; left -= 1) {
      const since = world.now;
      const leaseTime = dice.between(150, 900);
      const handle = await call.lock.tryLock({ leaseTime });
      if (handle === null) return;
      const kind = { ...call.kind, sharing: 'with readers' } as const;
      const belief = this.#begin({ ...call, kind, since, leaseTime }, handle);
      const extended = dice.chance(0.7) ? handle.extend(dice.between(200, 3000)) : Promise.resolve(false);
      const settled = extended.catch((error: unknown) => this.expect(error));
      await this.pause(dice.between(0, 1200));
      if (dice.chance(0.3)) await settled;
      watch.beliefs.delete(belief);
      await handle.unlock().catch((error: unknown) => this.expect(error));
      world.history?.answer(belief);
    }
  }

  #begin({ key, kind, leaseTime, since, outer }: Call, handle: LockHandle): Belief {
    const { world, watch, counts, instance } = this.place;
    counts.grants += 1;
    const { family, sharing } = kind;
    world.note(`granted ${kind.name} ${key} to ${handle.holder}`);
    const isRenewed = leaseTime === undefined;
    // Its answer may have been on its way for as long as its lease, or its hold was that of a caller in this process that has given up.
    const grantedFrom = world.now - (leaseTime ?? SETTINGS.watchdogTimeout);
    const belief = { instance, key, sharing, handle, isRenewed, since: grantedFrom };
    watch.begin(belief);
    world.history?.begin(belief, { family, since, outer, look: () => watch.look(belief) });
    return belief;
  }
}

/** As a person would who thinks that a lock is stuck. */
export function forceUnlock({ watch, service }: CallerPlace<BeliefWatch>, choice: number): void {
  const kind = KINDS[choice % (KINDS.length + 1)];
  const name = kind === undefined ? LEADER : `${kind.family}.${choice % NAMES}`;
  const lock = kind?.lock(service, name) ?? service.getFencedLock(name);
  const done = watch.losses.begin(SETTINGS.mapName(name));
  void lock
    .forceUnlock()
    .catch((error: unknown) => {
      if (!(error instanceof DistributedLockError)) watch.report('error', String(error));
    })
    .finally(done);
}
