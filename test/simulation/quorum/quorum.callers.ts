import type { Lockable, LockOptions } from '../../../libs/distributed-lock/src/contracts/lock.contract.js';
import { DistributedLockError } from '../../../libs/distributed-lock/src/errors/lock.errors.js';
import type { GroupHandle } from '../../../libs/distributed-lock/src/groups/group.handle.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import type { CallCounts } from '../caller.loop.js';
import { LONGEST_WAIT } from '../lock.caller.js';
import { SeededDice } from '../seeded.dice.js';
import { SETTINGS } from '../simulated.instance.js';
import type { World } from '../world.js';
import type { QuorumInstance } from './quorum.instance.js';
import { groupOf, type QuorumWatch, type RedBelief } from './quorum.watch.js';

/** So many red locks. */
const NAMES = 4;

/** Within this time, in ms, a round has the answers of all servers, or knows that some have none. */
const LONG_ENOUGH = 2 * SETTINGS.commandTimeout;

/** Callers whose signal is aborted reject with this. */
const ABORTED = new Error('the caller left');

/** A call that was granted. */
interface RedCall {
  readonly dice: SeededDice;
  /** When it was made, in ms. */
  readonly since: number;
  readonly isRenewed: boolean;
  /** The belief in whose scope it was made. */
  readonly outer?: RedBelief;
}

/** The callers of one instance: each acquires a red lock, holds it for a while, and releases it, again and again. */
export class QuorumCallers {
  #isStopped = false;

  constructor(
    private readonly world: World,
    private readonly watch: QuorumWatch,
    private readonly counts: CallCounts,
    private readonly instance: QuorumInstance,
    private readonly service: LockService,
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
      const waitTime = this.#drawWait(dice);
      const start = this.world.now;
      this.counts.calls += 1;
      try {
        await this.#call(waitTime, dice);
      } catch (error) {
        this.#expect(error, waitTime, start);
      }
    }
  }

  #drawWait(dice: SeededDice): number {
    if (dice.chance(0.15)) return 0;
    return dice.chance(0.7) ? dice.between(100, 4000) : LONGEST_WAIT;
  }

  async #call(waitTime: number, dice: SeededDice): Promise<void> {
    const name = nameOf(dice.below(NAMES));
    const lock = this.service.getRedLock(name);
    const leaseTime = dice.chance(0.3) ? dice.between(150, 2500) : undefined;
    const since = this.world.now;
    if (waitTime === 0) {
      const handle = await lock.tryLock({ ...(leaseTime !== undefined && { leaseTime }) });
      if (handle === null) return;
      const belief = this.#begin(lock.name, groupOf(handle), {
        dice,
        since,
        isRenewed: leaseTime === undefined,
      });
      await this.#pause(dice.between(0, 30));
      this.watch.beliefs.delete(belief);
      await handle.unlock();
      this.world.history?.answer(belief);
      return;
    }
    const signal = dice.chance(0.1) ? this.#signalAfter(dice.between(1, 1000)) : undefined;
    const options = { waitTime, ...(leaseTime !== undefined && { leaseTime }), ...(signal && { signal }) };
    await this.#using(lock, options, dice);
  }

  async #using(lock: Lockable, options: LockOptions, dice: SeededDice): Promise<void> {
    const wish = { instance: this.instance, key: keyOf(lock.name), since: this.world.now };
    this.watch.wishes.add(wish);
    let belief: RedBelief | undefined;
    try {
      await lock.using(async (handle) => {
        this.watch.wishes.delete(wish);
        const isRenewed = options.leaseTime === undefined;
        belief = this.#begin(lock.name, groupOf(handle), { dice, since: wish.since, isRenewed });
        await this.#work(lock, belief, dice);
        this.watch.beliefs.delete(belief);
      }, options);
      this.world.history?.answer(belief);
    } finally {
      this.watch.wishes.delete(wish);
      if (belief !== undefined) this.watch.beliefs.delete(belief);
    }
  }

  async #work(lock: Lockable, outer: RedBelief, dice: SeededDice): Promise<void> {
    await this.#pause(drawWork(dice));
    if (dice.chance(0.2)) {
      const hasLease = dice.chance(0.3);
      const since = this.world.now;
      let belief: RedBelief | undefined;
      await lock.using(
        async (inner) => {
          belief = this.#begin(lock.name, groupOf(inner), { dice, since, isRenewed: false, outer });
          await this.#pause(dice.between(0, 60));
          this.watch.beliefs.delete(belief);
        },
        { waitTime: 2000, ...(hasLease && { leaseTime: dice.between(150, 2500) }) },
      );
      this.world.history?.answer(belief);
    }
    if (dice.chance(0.1)) await this.#extend(outer.handle, dice.between(200, 2000));
  }

  /** A hold that just enough servers have needs an answer of each of them: soon after its grant, or after a fault, there may be no more. */
  async #extend(handle: GroupHandle, leaseTime: number): Promise<void> {
    const isBare = handle.members.filter(({ isHeld }) => isHeld).length === handle.needed;
    try {
      await handle.extend(leaseTime);
    } catch (error) {
      const mayFail = isBare && this.watch.hadFaultLately();
      if (!mayFail || !(error instanceof DistributedLockError) || error.code !== 'UNAVAILABLE') throw error;
      throw ABORTED;
    }
  }

  #begin(name: string, handle: GroupHandle, { dice, since, isRenewed, outer }: RedCall): RedBelief {
    const { instance, world, watch } = this;
    const key = keyOf(name);
    this.counts.grants += 1;
    world.note(`granted red ${name} to ${handle.holder}`);
    const belief = { instance, caller: dice, key, handle, since: world.now, isRenewed, takenAt: [] };
    watch.beliefs.add(belief);
    world.history?.begin(belief, { family: 'red', since, outer, look: () => watch.look(belief) });
    return belief;
  }

  #signalAfter(delay: number): AbortSignal {
    const controller = new AbortController();
    this.world.after(this.instance.process, delay, '', () => controller.abort(ABORTED));
    return controller.signal;
  }

  #expect(error: unknown, waitTime: number, start: number): void {
    const code = error instanceof DistributedLockError ? error.code : String(error);
    this.counts.refusals.set(code, (this.counts.refusals.get(code) ?? 0) + 1);
    if (error === ABORTED) return;
    if (!(error instanceof DistributedLockError)) this.watch.report('error', String(error));
    // A short wait may end before the answers of servers that are slow decide who has it.
    else if (
      code === 'UNAVAILABLE' &&
      (waitTime === 0 || waitTime > LONG_ENOUGH) &&
      this.watch.hasMajoritySince(start)
    )
      this.watch.report(
        'minority',
        `${this.instance.name}, with a majority that was there: ${error.message}`,
      );
  }

  #pause(duration: number): Promise<void> {
    return new Promise((resolve) => void this.world.after(this.instance.process, duration, '', resolve));
  }
}

/** Uses each lock once. */
export function usesOfEachRedLock(service: LockService): Promise<void>[] {
  return Array.from({ length: NAMES }, (_, name) =>
    service.getRedLock(nameOf(name)).using(() => undefined, { waitTime: 10_000 }),
  );
}

/** How long the work under a lock takes, in ms. */
function drawWork(dice: SeededDice): number {
  if (dice.chance(0.9)) return dice.between(0, 40);
  return dice.chance(0.8) ? dice.between(40, 4000) : dice.between(4000, 20_000);
}

function nameOf(name: number): string {
  return `red.${name}`;
}

function keyOf(name: string): string {
  return SETTINGS.mapName(name);
}
