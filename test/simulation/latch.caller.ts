import type { CountDownLatch } from '../../libs/distributed-lock/src/contracts/latch.contract.js';
import { LockUnavailableError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { CallerLoop, type CallerPlace } from './caller.loop.js';
import type { LatchRound } from './latch.round.js';
import type { LatchWatch } from './latch.watch.js';
import { LONGEST_WAIT } from './lock.caller.js';

/** Closes a latch with a count, counts it down, or waits until it is open. */
export class LatchCaller extends CallerLoop {
  constructor(
    place: CallerPlace,
    name: string,
    private readonly latches: LatchWatch,
    private readonly waits: boolean,
  ) {
    super(place, name);
  }

  protected async call(): Promise<void> {
    const { latches } = this;
    const { service } = this.place;
    const round = latches.current();
    if (round === undefined) {
      const next = latches.next();
      return await this.#close(next, latches.latchOf(service, next));
    }
    const latch = latches.latchOf(service, round);
    if (this.waits && this.dice.chance(0.6)) await this.#await(round, latch);
    else if (round.wasMade || this.dice.chance(0.3)) await this.#countDown(round, latch);
  }

  async #close(round: LatchRound, latch: CountDownLatch): Promise<void> {
    try {
      // No other caller sets it.
      if (await latch.trySetCount(round.count)) return;
      this.place.watch.report('latch', `${round.name} has a count before it is set`);
    } catch (error) {
      round.isLost = true;
      throw error;
    }
  }

  async #countDown(round: LatchRound, latch: CountDownLatch): Promise<void> {
    const { counts, instance, world } = this.place;
    const countDown = round.begin(instance);
    try {
      await latch.countDown();
      countDown.isConfirmed = true;
      counts.grants += 1;
    } catch (error) {
      // The library repeats a call without an answer; one that the server has refused for good is not done.
      if (error instanceof LockUnavailableError && error.code === 'UNAVAILABLE')
        countDown.settledAt = world.now;
      throw error;
    }
  }

  async #await(round: LatchRound, latch: CountDownLatch): Promise<void> {
    const { dice, latches } = this;
    const { instance, world, watch, counts } = this.place;
    const since = world.now;
    const wasOpen = latches.isOpen(round);
    const waitTime = dice.chance(0.8) ? dice.between(0, 4000) : LONGEST_WAIT;
    const wish = { instance, round, since };
    latches.wishes.add(wish);
    try {
      const isOpen = await latch.await({ waitTime, signal: this.signal() });
      counts.grants += 1;
      if (isOpen && !wasOpen && latches.isKnown(round) && round.openSince === undefined)
        watch.report('latch', `a caller goes on though ${round.name} is closed`);
      if (!isOpen && world.now < since + waitTime)
        watch.report('latch', `a caller does not wait for ${round.name} as long as it may`);
    } finally {
      latches.wishes.delete(wish);
    }
  }
}
