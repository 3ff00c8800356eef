import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { SimulatedFleet } from './simulated.fleet.js';
import type { SimulatedInstance } from './simulated.instance.js';
import type { World } from './world.js';

/** How a holder shares its lock with others. */
export type Sharing = 'alone' | 'with readers';

/** A holder that may believe in its lock. */
export interface Belief {
  readonly instance: SimulatedInstance;
  readonly key: string;
  readonly sharing: Sharing;
  readonly handle: LockHandle;
}

/** A caller that waits for a lock. */
export interface Wish {
  readonly instance: SimulatedInstance;
  readonly key: string;
  readonly since: number;
  /** How long the lock may be free meanwhile, in ms, while nothing is wrong. */
  readonly bound: number;
}

/** A rule that was broken. */
export interface Violation {
  readonly rule: string;
  readonly at: number;
  readonly event: number;
  readonly what: string;
}

/** Checks after each event what holders believe, what the store has, and what callers wait for. */
export class BeliefWatch {
  readonly beliefs = new Set<Belief>();
  readonly wishes = new Set<Wish>();
  readonly violations: Violation[] = [];
  readonly #freeSince = new Map<string, number>();
  readonly #tokens = new Map<string, bigint>();

  constructor(
    private readonly world: World,
    private readonly fleet: SimulatedFleet,
  ) {}

  report(rule: string, what: string): void {
    const { now: at, events: event } = this.world;
    this.world.note(`VIOLATION ${rule}: ${what}`, this.world.outside);
    this.violations.push({ rule, at, event, what });
  }

  /** Notes a fencing token, which must be above all before it. */
  noteToken(key: string, token: bigint): void {
    const last = this.#tokens.get(key) ?? 0n;
    if (token <= last) this.report('token', `${key} gave ${token} after ${last}`);
    this.#tokens.set(key, token);
  }

  /** To be called after each event. */
  check(): void {
    if (this.violations.length > 0) return;
    if (this.beliefs.size > 0) this.#checkBeliefs();
    if (this.wishes.size > 0) this.#checkWishes();
  }

  #checkBeliefs(): void {
    const held = new Map<string, Belief>();
    for (const belief of this.beliefs) {
      const { instance, key, handle } = belief;
      if (!instance.isRunning || !this.world.as(instance.process, () => handle.isHeld)) continue;
      if (!this.#isStored(key, handle.holder))
        this.report(
          'in store',
          `${instance.name} believes in ${key} of ${handle.holder}, which the store does not have`,
        );
      const other = held.get(key);
      if (other === undefined || other.sharing === 'with readers') held.set(key, belief);
      if (other === undefined || other.handle.holder === handle.holder) continue;
      if (other.sharing === 'alone' || belief.sharing === 'alone')
        this.report('I1', `${other.instance.name} and ${instance.name} both believe in ${key}`);
    }
  }

  /** A writer has a field of its own, as in Redisson. */
  #isStored(key: string, holder: string): boolean {
    const fields = this.fleet.server.hash(key);
    return fields.has(holder) || fields.has(`${holder}:write`);
  }

  #checkWishes(): void {
    const { world, fleet } = this;
    const wanted = new Set<string>();
    for (const { instance, key, since, bound } of this.wishes) {
      if (!instance.isRunning || !instance.link.isConnected) continue;
      if (wanted.has(key) || fleet.server.has(key)) continue;
      wanted.add(key);
      const freeSince = this.#freeSince.get(key) ?? world.now;
      this.#freeSince.set(key, freeSince);
      const from = Math.max(freeSince, since, fleet.lastTrouble);
      if (world.now - from > bound)
        this.report(
          'free and wanted',
          `${key} is free for ${Math.round(world.now - from)} ms while ${instance.name} waits`,
        );
    }
    for (const key of this.#freeSince.keys()) if (!wanted.has(key)) this.#freeSince.delete(key);
  }
}
