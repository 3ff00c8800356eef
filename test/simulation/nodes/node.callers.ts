import type {
  Lock,
  LockHandle,
  LockOptions,
} from '../../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import { DistributedLockError } from '../../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import type { Belief, Sharing } from '../belief.js';
import type { CallCounts } from '../caller.loop.js';
import { FREE, FREE_AFTER, LONGEST_WAIT } from '../lock.caller.js';
import { SeededDice } from '../seeded.dice.js';
import type { World } from '../world.js';
import type { NodeInstance } from './node.instance.js';
import type { NodeWatch } from './node.watch.js';

/** A kind of lock, as callers use it. */
interface CalledKind {
  readonly lock: (service: LockService, name: string) => Lock;
  /** The first part of its keys: the sides of a read/write lock have the same ones. */
  readonly family: string;
  readonly sharing: Sharing;
  /** How long it may be free while a caller waits, in ms: a dead waiter of a fair lock, or a dead writer, may come first. */
  readonly free: number;
  /** Whether all of its scripts are on one key. */
  readonly hasOneKey?: boolean;
}

/** The refusals for want of a server. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'NOT_REPLICATED']);

const ALONE = { sharing: 'alone', free: FREE } as const;

const KINDS: readonly CalledKind[] = [
  { ...ALONE, family: 'plain', hasOneKey: true, lock: (service, name) => service.getLock(name) },
  { ...ALONE, family: 'fenced', lock: (service, name) => service.getFencedLock(name) },
  { ...ALONE, family: 'fair', lock: (service, name) => service.getFairLock(name), free: FREE_AFTER.fair },
  { ...ALONE, family: 'rw', lock: (service, name) => service.getReadWriteLock(name).writeLock() },
  {
    family: 'rw',
    lock: (service, name) => service.getReadWriteLock(name).readLock(),
    sharing: 'with readers',
    free: FREE_AFTER.read,
  },
];

/** So many locks of each family. */
export const NAMES = 3;

/** What the callers of an instance share. */
interface CallerParts {
  readonly world: World;
  readonly watch: NodeWatch;
  readonly counts: CallCounts;
  readonly instance: NodeInstance;
  readonly service: LockService;
  readonly settings: LockSettings;
}

/** One call. */
interface Call {
  readonly kind: CalledKind;
  readonly key: string;
  readonly lock: Lock;
  /** In ms. */
  readonly since: number;
  /** The belief in whose scope it calls. */
  readonly outer?: Belief;
}

/** The callers of one instance: each acquires a lock, holds it for a while, and releases it, again and again. */
export class NodeCallers {
  #isStopped = false;

  constructor(private readonly parts: CallerParts) {}

  start(callers: number): void {
    const { world, instance } = this.parts;
    for (let caller = 0; caller < callers; caller += 1)
      void this.#loop(new SeededDice(world.seed, `${instance.name} caller ${caller}`));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #loop(dice: SeededDice): Promise<void> {
    const { counts, service, settings, world } = this.parts;
    for (;;) {
      await this.#pause(dice.chance(0.3) ? 0 : dice.between(1, 60));
      if (this.#isStopped) return;
      const kind = dice.pick(KINDS);
      const name = `${kind.family}.${dice.below(NAMES)}`;
      counts.calls += 1;
      const start = world.now;
      try {
        const lock = kind.lock(service, name);
        await this.#call({ kind, key: settings.mapName(name), lock, since: start }, dice);
      } catch (error) {
        this.#expect(error, kind, start);
      }
    }
  }

  async #call(call: Call, dice: SeededDice): Promise<void> {
    if (dice.chance(0.15)) {
      const handle = await call.lock.tryLock();
      if (handle === null) return;
      const belief = this.#begin(call, handle);
      await this.#pause(dice.between(0, 30));
      this.parts.watch.beliefs.delete(belief);
      await handle.unlock();
      this.parts.world.history?.answer(belief);
      return;
    }
    const waitTime = dice.chance(0.7) ? dice.between(100, 4000) : LONGEST_WAIT;
    const leaseTime = dice.chance(0.3) ? dice.between(150, 2500) : undefined;
    await this.#using(call, { waitTime, ...(leaseTime !== undefined && { leaseTime }) }, dice);
  }

  async #using(call: Call, options: LockOptions, dice: SeededDice): Promise<void> {
    const { watch, instance, world } = this.parts;
    const wish = { instance, key: call.key, since: world.now, bound: call.kind.free };
    watch.wishes.add(wish);
    let belief: Belief | undefined;
    try {
      await call.lock.using(async (handle) => {
        watch.wishes.delete(wish);
        belief = this.#begin(call, handle);
        await this.#work({ ...call, outer: belief }, handle, dice);
        watch.beliefs.delete(belief);
      }, options);
      world.history?.answer(belief);
    } finally {
      watch.wishes.delete(wish);
      if (belief !== undefined) watch.beliefs.delete(belief);
    }
  }

  async #work(call: Call, handle: LockHandle, dice: SeededDice): Promise<void> {
    await this.#pause(dice.chance(0.95) ? dice.between(0, 40) : dice.between(40, 6000));
    const { world, watch } = this.parts;
    if (dice.chance(0.15)) {
      const since = world.now;
      let belief: Belief | undefined;
      await call.lock.using(
        async (inner) => {
          belief = this.#begin({ ...call, since }, inner);
          await this.#pause(dice.between(0, 60));
          watch.beliefs.delete(belief);
        },
        { waitTime: 3000 },
      );
      world.history?.answer(belief);
    }
    if (dice.chance(0.1)) await handle.extend(dice.between(200, 2000));
  }

  #begin({ kind, key, since, outer }: Call, handle: LockHandle): Belief {
    const { counts, world, instance, watch } = this.parts;
    const { family, sharing } = kind;
    counts.grants += 1;
    world.note(`granted ${family} ${key} to ${handle.holder}`);
    const belief = { instance, key, sharing, handle };
    if (outer !== undefined) watch.beliefs.add(belief);
    else watch.begin(belief);
    world.history?.begin(belief, { family, since, outer, look: () => watch.look(belief, since) });
    return belief;
  }

  #expect(error: unknown, { hasOneKey = false }: CalledKind, start: number): void {
    const { counts, watch, instance } = this.parts;
    const code = error instanceof DistributedLockError ? error.code : String(error);
    counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1);
    if (!(error instanceof DistributedLockError)) watch.report('error', String(error));
    // A script on several keys has to wait while its slot moves; one on a single key is sent to where the key is.
    else if (UNAVAILABLE.has(error.code) && (hasOneKey ? watch.lastOutage : watch.lastTrouble) <= start)
      watch.report('available', `${instance.name}, while nothing was wrong: ${error.message}`);
  }

  #pause(duration: number): Promise<void> {
    const { world, instance } = this.parts;
    return new Promise((resolve) => void world.after(instance.process, duration, '', resolve));
  }
}

/** Whether these callers have locks with such names. */
export function isNodeFamily(family: string): boolean {
  return KINDS.some((kind) => kind.family === family);
}

/** Uses each lock once. */
export function usesOfEachNodeLock(service: LockService): Promise<void>[] {
  return KINDS.flatMap(({ family, lock }) =>
    Array.from({ length: NAMES }, (_, name) =>
      lock(service, `${family}.${name}`).using(() => undefined, { waitTime: 20_000 }),
    ),
  );
}
