import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { GroupHandle } from '../../libs/distributed-lock/src/groups/group.handle.js';
import type { Belief } from './belief.js';
import type { CalledKind } from './called.kinds.js';
import { CallerLoop, type CallerPlace } from './caller.loop.js';
import { boundOfTwo, FREE, FREE_AFTER } from './lock.caller.js';
import { SETTINGS } from './simulated.instance.js';

/** A lock among others, by its name. */
interface Member {
  readonly name: string;
  readonly key: string;
  readonly kind: CalledKind;
}

/** The locks of a run. */
export interface CalledLocks {
  readonly kinds: readonly CalledKind[];
  /** So many of each kind. */
  readonly names: number;
}

/** Acquires several of the locks that the other callers use, as one. */
export class MultiLockCaller extends CallerLoop {
  constructor(
    place: CallerPlace,
    name: string,
    private readonly locks: CalledLocks,
  ) {
    super(place, name);
  }

  protected async call(): Promise<void> {
    const { dice } = this;
    const { instance, service, watch, world } = this.place;
    const members = this.#draw();
    const keys = members.map(({ key }) => key);
    const locks = members.map(({ name, kind }) => kind.lock(service, name));
    const leaseTime = dice.chance(0.3) ? dice.between(300, 2500) : undefined;
    const waitTime = dice.chance(0.8) ? dice.between(100, 4000) : 0;
    const bounds = members.map(({ kind }) => FREE_AFTER[kind.name] ?? FREE);
    const wish = {
      instance,
      key: keys[0] ?? '',
      others: keys.slice(1),
      since: world.now,
      bound: Math.max(...bounds),
      boundOfTwo: Math.max(...bounds, ...members.map(({ kind }) => boundOfTwo(kind) ?? 0)),
      hasOthersBefore: members.some(({ kind }) => kind.name in FREE_AFTER),
    };
    watch.wishes.add(wish);
    try {
      await service.getMultiLock(...locks).using(
        async (handle) => {
          watch.wishes.delete(wish);
          const beliefs = this.#begin(members, handle, {
            isRenewed: leaseTime === undefined,
            since: wish.since,
          });
          await this.pause(dice.chance(0.8) ? dice.between(0, 40) : dice.between(40, 3000));
          if (dice.chance(0.1)) await handle.extend(dice.between(200, 2000));
          for (const belief of beliefs) watch.end(belief);
        },
        { waitTime, leaseTime, signal: this.signal() },
      );
    } catch (error) {
      if (watch.wishes.has(wish)) this.expectPatience(error, { since: wish.since, waitTime });
      throw error;
    } finally {
      watch.wishes.delete(wish);
    }
  }

  /** Of each family one at most: the sides of a read/write lock cannot be held together. */
  #draw(): Member[] {
    const members = new Map<string, Member>();
    const { kinds, names } = this.locks;
    for (let drawn = 0; drawn < 3; drawn += 1) {
      const kind = this.dice.pick(kinds);
      const name = `${kind.family}.${this.dice.below(names)}`;
      members.set(kind.family, { name, key: SETTINGS.mapName(name), kind });
    }
    return [...members.values()];
  }

  /** As long as the multi lock is held, each of its members is; all but the last were granted before. */
  #begin(
    members: readonly Member[],
    multi: LockHandle,
    grant: Pick<Belief, 'isRenewed' | 'since'>,
  ): Belief[] {
    const { world, watch, counts, instance } = this.place;
    counts.grants += 1;
    world.note(`granted multi ${multi.name} to ${multi.holder}`);
    const handles = multi instanceof GroupHandle ? multi.members : [];
    if (handles.length !== members.length)
      watch.report('whole', `${multi.name} was granted with ${handles.length} of ${members.length} members`);
    const beliefs = members.flatMap(({ name, key, kind: { sharing } }) => {
      const member = handles.find((handle) => handle.name === name);
      if (member === undefined) return [];
      const handle = {
        holder: member.holder,
        token: undefined,
        get isHeld() {
          return multi.isHeld;
        },
      };
      return [{ instance, key, sharing, handle, ...grant }];
    });
    return beliefs.map((one) => {
      const belief = { ...one, others: beliefs };
      watch.begin(belief);
      return belief;
    });
  }
}
