import { GroupHandle } from '../../../libs/distributed-lock/src/groups/group.handle.js';
import type { Look } from '../hold.history.js';
import { RuleWatch } from '../rule.watch.js';
import { SETTINGS } from '../simulated.instance.js';
import type { World } from '../world.js';
import { COMPLETED, COMPLETED_FIRST, SERVERS, type QuorumFleet } from './quorum.fleet.js';
import type { QuorumInstance } from './quorum.instance.js';

/** What a server forgot is believed in no longer than a lease. */
const LONGEST_LEASE = SETTINGS.watchdogTimeout;

/** How long a lock may be free while a caller waits and a majority is there, in ms: a sleep, and some collisions. */
const FREE = SETTINGS.watchdogTimeout / 3 + 1500;

/** How long after its loss a hold may be left, in ms, on a server that is there. */
const RELEASED = 2 * SETTINGS.commandTimeout;

/** A caller that may believe in its red lock. */
export interface RedBelief {
  readonly instance: QuorumInstance;
  /** The loop of the caller: its nested acquisitions are its own. */
  readonly caller: object;
  readonly key: string;
  readonly handle: GroupHandle;
  readonly since: number;
  /** Whether its lease is renewed, so that only a fault can end it. */
  readonly isRenewed: boolean;
  /** By the place of a server: when a holder, this one or another, last had the lock there. */
  readonly takenAt: number[];
  /** When it was found to be lost. */
  lostAt?: number;
}

/** A caller that waits for a red lock. */
export interface RedWish {
  readonly instance: QuorumInstance;
  readonly key: string;
  readonly since: number;
}

/** Checks after each event what holders of red locks believe, what the servers have, and what callers wait for. */
export class QuorumWatch extends RuleWatch {
  readonly beliefs = new Set<RedBelief>();
  readonly wishes = new Set<RedWish>();
  readonly #heldAt = new Map<string, number>();

  constructor(
    world: World,
    private readonly fleet: QuorumFleet,
  ) {
    super(world);
  }

  /** To be called after each event. */
  check(): void {
    if (this.violations.length > 0) return;
    if (this.beliefs.size > 0) this.#checkBeliefs();
    if (this.wishes.size > 0) this.#checkWishes();
  }

  /** Whether a majority was there all the time, so that a caller may not be refused for want of servers. */
  hasMajoritySince(moment: number): boolean {
    return this.fleet.outages.majorityFrom <= moment;
  }

  /** Whether there was a fault since the time within which a hold is completed. */
  hadFaultLately(): boolean {
    return this.fleet.hadFault(this.world.now - COMPLETED, this.world.now);
  }

  /** What a judge of histories is to know of a belief now. */
  look(belief: RedBelief): Look | undefined {
    const { instance, handle } = belief;
    if (!this.beliefs.has(belief) || !instance.isRunning) return undefined;
    if (!this.world.as(instance.process, () => handle.isHeld)) return undefined;
    return { lostAt: this.#hasQuorum(belief) ? undefined : this.#steppedAt() };
  }

  /** When a clock was first set forward of those that were in the last lease. */
  #steppedAt(): number {
    const times = this.fleet.servers.map(({ steppedAt }) => steppedAt);
    return Math.min(...times.filter((at) => this.world.now - at <= LONGEST_LEASE));
  }

  #checkBeliefs(): void {
    const held = new Map<string, RedBelief>();
    for (const belief of this.beliefs) {
      const { instance, key, handle, caller } = belief;
      if (!instance.isRunning) continue;
      if (!this.world.as(instance.process, () => handle.isHeld)) {
        this.#checkLoss(belief);
        this.#checkRemains(belief);
        continue;
      }
      this.#heldAt.set(key, this.world.now);
      this.#checkVotes(belief);
      this.#checkCompleteness(belief);
      const other = held.get(key);
      if (other === undefined) held.set(key, belief);
      else if (other.caller !== caller && this.#hasQuorum(other) && this.#hasQuorum(belief))
        this.report('I1', `${other.instance.name} and ${instance.name} both believe in ${key}`);
    }
  }

  /** Each member that is believed in is stored on a server, or on one that forgot it less than a lease ago. */
  #checkVotes(belief: RedBelief): void {
    const { instance, key } = belief;
    const missing = this.#membersOf(belief) - this.#stored(belief);
    if (
      missing > 0 &&
      missing > this.#forgetful(belief, (server) => Math.max(server.forgotAt, server.steppedAt))
    )
      this.report('in store', `${instance.name} believes in ${missing} votes for ${key} that no server has`);
  }

  /** A renewed hold is on each server that is there and free: soon after its grant, or within a third of the lease. */
  #checkCompleteness(belief: RedBelief): void {
    const { instance, key, isRenewed, since, takenAt } = belief;
    if (!isRenewed || this.#membersOf(belief) === SERVERS) return;
    const { now } = this.world;
    for (const [place, server] of this.fleet.servers.entries()) {
      if (server.has(key)) takenAt[place] = now;
      const from = Math.max(since, takenAt[place] ?? 0, this.fleet.thereFrom(place));
      if (now - from > (from === since ? COMPLETED_FIRST : COMPLETED))
        this.report(
          'complete',
          `${instance.name} holds ${key}, and ${server.name} is free for ${Math.round(now - from)} ms`,
        );
    }
  }

  /** A clock that is set forward ends leases, against which red locks promise nothing until the next renewal. */
  #hasQuorum(belief: RedBelief): boolean {
    return (
      this.#membersOf(belief) - this.#forgetful(belief, ({ steppedAt }) => steppedAt) >= belief.handle.needed
    );
  }

  /** A renewed hold is kept for as long as a majority is there: once it had the time to be completed. */
  #checkLoss({ instance, key, isRenewed, since, handle }: RedBelief): void {
    if (!isRenewed || !handle.isOpen || !this.hasMajoritySince(since)) return;
    if (this.fleet.hadFault(since, since + COMPLETED_FIRST)) return;
    this.report('kept', `${instance.name} lost ${key} although a majority was there`);
  }

  /** A hold that was lost is in the way of no other one, though its work goes on. */
  #checkRemains(belief: RedBelief): void {
    const { instance, key, handle, isRenewed } = belief;
    if (!isRenewed || !this.world.as(instance.process, () => handle.signal.aborted)) return;
    const { now } = this.world;
    const lostAt = (belief.lostAt ??= now);
    for (const [place, server] of this.fleet.servers.entries()) {
      const from = Math.max(lostAt, this.fleet.thereFrom(place));
      if (now - from > RELEASED && isStored(server.hash(key), belief))
        this.report('remains', `${instance.name} has lost ${key}, and has it on ${server.name}`);
    }
  }

  #membersOf({ instance, handle }: RedBelief): number {
    return this.world.as(instance.process, () => handle.members.filter(({ isHeld }) => isHeld).length);
  }

  #stored(belief: RedBelief): number {
    return this.fleet.servers.filter((server) => isStored(server.hash(belief.key), belief)).length;
  }

  /** How many servers do not have the hold, and forgot it less than a lease ago. */
  #forgetful(belief: RedBelief, forgotAt: (server: QuorumFleet['servers'][number]) => number): number {
    const { now } = this.world;
    return this.fleet.servers.filter(
      (server) => now - forgotAt(server) <= LONGEST_LEASE && !isStored(server.hash(belief.key), belief),
    ).length;
  }

  #checkWishes(): void {
    const { world, fleet } = this;
    const wellFrom = fleet.leftovers.majorityFrom;
    if (world.now - wellFrom <= FREE) return;
    for (const { instance, key, since } of this.wishes) {
      if (!instance.isRunning) continue;
      const from = Math.max(this.#heldAt.get(key) ?? 0, since, wellFrom);
      if (world.now - from > FREE)
        this.report(
          'free and wanted',
          `${key} is free for ${Math.round(world.now - from)} ms while ${instance.name} waits`,
        );
    }
  }
}

function isStored(fields: ReadonlyMap<string, string>, { handle }: RedBelief): boolean {
  return fields.size > 0 && handle.members.some(({ holder }) => fields.has(holder));
}

/** @throws TypeError for the handle of another lock */
export function groupOf(handle: unknown): GroupHandle {
  if (handle instanceof GroupHandle) return handle;
  throw new TypeError('this is no handle of a red lock');
}
