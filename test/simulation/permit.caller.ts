import type { LockHandle, LockOptions } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { PermitExpirableSemaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { Belief } from './belief.js';
import { CallerLoop, type CallerPlace } from './caller.loop.js';
import { LONGEST_WAIT } from './lock.caller.js';
import type { PermitWatch } from './permit.watch.js';

/** Acquires a permit that expires, works under it, and releases it. */
export class PermitCaller extends CallerLoop {
  readonly #semaphore: PermitExpirableSemaphore;

  constructor(
    place: CallerPlace,
    name: string,
    private readonly permits: PermitWatch,
  ) {
    super(place, name);
    this.#semaphore = permits.semaphoreOf(place.service);
  }

  protected async call(): Promise<void> {
    const { dice, permits } = this;
    if (!permits.isMade) await this.#semaphore.trySetPermits(permits.total.initial);
    if (permits.isResized && !permits.total.isChanging && dice.chance(0.05)) return await this.#resize();
    if (dice.chance(0.02)) return await this.#takeAway();
    const leaseTime = dice.chance(0.3) ? dice.between(150, 2500) : undefined;
    if (dice.chance(0.15)) return await this.#try(leaseTime);
    const waitTime = dice.chance(0.7) ? dice.between(100, 4000) : LONGEST_WAIT;
    await this.#using({ waitTime, leaseTime, signal: this.signal() });
  }

  /** As a person would who has read a permit id in the log. */
  async #takeAway(): Promise<void> {
    const { dice, permits } = this;
    const { losses } = this.place.watch;
    const ids = permits.believed();
    if (ids.length === 0) return;
    const id = dice.pick(ids);
    const done = losses.begin(permits.key);
    try {
      if (dice.chance(0.5)) await this.#semaphore.tryRelease(id);
      else await this.#semaphore.updateLeaseTime(id, dice.between(100, 2500));
    } finally {
      done();
    }
  }

  /** Of those that are taken, all stay taken. */
  async #resize(): Promise<void> {
    const { dice, permits } = this;
    const { instance, world } = this.place;
    const { total } = permits;
    const to = permits.drawTotal(dice);
    const change = to - total.current;
    const isAddition = dice.chance(0.5);
    const resize = total.begin(instance, to, isAddition);
    try {
      if (isAddition) await this.#semaphore.addPermits(change);
      else await this.#semaphore.setPermits(to);
      resize.isAnswered = true;
    } finally {
      resize.settledAt = world.now;
    }
  }

  async #try(leaseTime: number | undefined): Promise<void> {
    const handle = await this.#semaphore.tryAcquire({ leaseTime });
    if (handle === null) return;
    const belief = this.#begin(handle, leaseTime);
    await this.pause(this.dice.between(0, 30));
    this.place.watch.end(belief);
    await handle.unlock();
  }

  async #using(
    options: LockOptions & { readonly waitTime: number; readonly leaseTime: number | undefined },
  ): Promise<void> {
    const { permits, dice } = this;
    const { instance, watch, world } = this.place;
    const wish = { instance, since: world.now };
    permits.wishes.add(wish);
    try {
      await this.#semaphore.using(async (handle) => {
        permits.wishes.delete(wish);
        const belief = this.#begin(handle, options.leaseTime);
        await this.pause(dice.chance(0.8) ? dice.between(0, 40) : dice.between(40, 4000));
        if (dice.chance(0.1)) await handle.extend(dice.between(200, 2000));
        watch.end(belief);
      }, options);
    } catch (error) {
      if (permits.wishes.has(wish))
        this.expectPatience(error, { since: wish.since, waitTime: options.waitTime });
      throw error;
    } finally {
      permits.wishes.delete(wish);
    }
  }

  #begin(handle: LockHandle, leaseTime: number | undefined): Belief {
    const { world, watch, counts, instance } = this.place;
    counts.grants += 1;
    world.note(`granted ${this.permits.key} to ${handle.holder}`);
    const belief: Belief = {
      instance,
      key: this.permits.key,
      sharing: 'by permit',
      handle,
      isRenewed: leaseTime === undefined,
    };
    watch.begin(belief);
    return belief;
  }
}
