import { isStored, type Belief, type Violation, type Wish } from './belief.js';
import type { CallingInstance } from './calling.instance.js';
import type { CallerWatch } from './caller.loop.js';
import type { DataLosses } from './data.losses.js';
import type { Look } from './hold.history.js';
import type { SimulatedFleet } from './simulated.fleet.js';
import { SETTINGS } from './simulated.instance.js';
import { StoredHolds } from './stored.holds.js';
import type { World } from './world.js';

/** How much later a caller of a fair lock may come and be granted it first, in ms (docs/guarantees.md). */
const OUT_OF_TURN = 150;

/** Checks after each event what holders believe, what the store has, and what callers wait for. */
export class BeliefWatch implements CallerWatch {
  readonly beliefs = new Set<Belief>();
  readonly wishes = new Set<Wish>();
  readonly violations: Violation[] = [];
  readonly #freeSince = new Map<string, number>();
  readonly #tokens = new Map<string, { readonly token: bigint; readonly at: number }>();
  readonly #lost = new WeakSet<Belief>();
  /** When the store gave it to a holder id, which a process may hand on. */
  readonly #grantedAt = new Map<string, number>();
  readonly #storedHolds: StoredHolds;

  constructor(
    private readonly world: World,
    private readonly fleet: SimulatedFleet,
  ) {
    this.#storedHolds = new StoredHolds(world, fleet, (what) => this.report('not freed', what));
  }

  get losses(): DataLosses {
    return this.fleet.losses;
  }

  report(rule: string, what: string): void {
    const { now: at, events: event } = this.world;
    this.world.note(`VIOLATION ${rule}: ${what}`, this.world.outside);
    this.violations.push({ rule, at, event, what });
  }

  /** A caller was granted a lock, and believes in it. */
  begin(belief: Belief): void {
    const { key, handle } = belief;
    this.beliefs.add(belief);
    const hold = `${key} ${handle.holder}`;
    if (!this.#grantedAt.has(hold)) this.#grantedAt.set(hold, belief.since ?? this.world.now);
    if (handle.token !== undefined && this.#isHeld(belief)) this.#noteToken(key, handle.token);
    this.#storedHolds.granted(belief);
  }

  /** The caller is about to release it. */
  end(belief: Belief): void {
    if (this.#isHeld(belief)) this.#storedHolds.released(belief);
    this.beliefs.delete(belief);
  }

  /**
   * A caller of a fair lock was granted it: no other one waits that came well before, in a process that was well ever since. A caller of several
   * locks waits for one after the other.
   */
  checkTurn({ key, since, instance }: Wish): void {
    for (const other of this.wishes)
      if (
        other.key === key &&
        other.others === undefined &&
        other.since + OUT_OF_TURN < since &&
        other.instance.isRunning &&
        other.instance.calmSince < other.since
      )
        this.report(
          'I7',
          `${instance.name}, which came at ${since}, has ${key} before ${other.instance.name}, which came at ${other.since}`,
        );
  }

  /** What a judge of histories is to know of a belief now. */
  look(belief: Belief): Look | undefined {
    if (!this.beliefs.has(belief) || !belief.instance.isRunning || !this.#isHeld(belief)) return undefined;
    return { lostAt: this.#lostAt(belief) };
  }

  /** Whether a hold may be gone, which began at `since`, though its holder does not know yet. */
  mayHaveLost(key: string, since: number, instance: CallingInstance): boolean {
    return this.losses.lostAt(key, since, instance) !== undefined;
  }

  /** Whether nothing is known that could have ended it. */
  isCertain(belief: Belief): boolean {
    return belief.instance.isRunning && this.#isHeld(belief) && this.#lostAt(belief) === undefined;
  }

  #lostAt({ key, handle, instance }: Belief): number | undefined {
    const grantedAt = this.#grantedAt.get(`${key} ${handle.holder}`) ?? 0;
    return this.losses.lostAt(key, grantedAt, instance);
  }

  #isHeld({ instance, handle }: Belief): boolean {
    return this.world.as(instance.process, () => handle.isHeld);
  }

  /** Notes a fencing token, which must be above all before it. */
  #noteToken(key: string, token: bigint): void {
    const last = this.#tokens.get(key);
    const mayFall = last === undefined || last.at <= this.fleet.losses.tokensFrom;
    if (!mayFall && token <= last.token) this.report('I3', `${key} gave ${token} after ${last.token}`);
    this.#tokens.set(key, { token, at: this.world.now });
  }

  /** An instance was shut down, and nothing kept it from releasing its locks. */
  checkShutdown(instance: CallingInstance, begun: number): void {
    for (const { key, holder, isPermit, lostSince = Infinity } of this.#storedHolds.holdsOf(instance)) {
      // A server that stood still has run the last renewal of a hold that was lost before.
      if (lostSince <= begun) continue;
      // A permit that was lost ends with its lease, which may be longer by now: by another process that knew its id.
      const grantedAt = this.#grantedAt.get(`${key} ${holder}`);
      const isLonger = grantedAt !== undefined && this.losses.lastAt(key) >= grantedAt;
      if (isPermit && isLonger && lostSince < Infinity) continue;
      if (isPermit && grantedAt !== undefined && this.mayHaveLost(key, grantedAt, instance)) continue;
      this.report('I9', `${instance.name} was shut down and has ${key} of ${holder}`);
    }
  }

  /** To be called after each event. */
  check(): void {
    if (this.violations.length > 0) return;
    if (this.beliefs.size > 0) this.#checkBeliefs();
    if (this.wishes.size > 0) this.#checkWishes();
    this.#storedHolds.check(this.beliefs, this.wishes);
  }

  #checkBeliefs(): void {
    const held = new Map<string, Belief>();
    for (const belief of this.beliefs) {
      const { instance, key, handle } = belief;
      if (!instance.isRunning) continue;
      if (!this.#isHeld(belief)) {
        this.#checkLoss(belief);
        continue;
      }
      const mayBeLost = this.#lostAt(belief) !== undefined;
      if (!mayBeLost && !isStored(this.fleet.server, belief))
        this.report(
          'in store',
          `${instance.name} believes in ${key} of ${handle.holder}, which the store does not have`,
        );
      if (mayBeLost) continue;
      const other = held.get(key);
      if (other === undefined || other.sharing === 'with readers') held.set(key, belief);
      if (other === undefined || other.handle.holder === handle.holder) continue;
      if (other.sharing === 'alone' || belief.sharing === 'alone')
        this.report('I1', `${other.instance.name} and ${instance.name} both believe in ${key}`);
    }
  }

  /** What the watchdog renews is lost only where something has kept it from renewing for a whole lease. */
  #checkLoss(belief: Belief): void {
    const { isRenewed, instance, key, others = [] } = belief;
    if (this.#lost.has(belief)) return;
    this.#lost.add(belief);
    // Where one of several is lost, all are.
    const isExplained = [belief, ...others].some((one) => this.#lostAt(one) !== undefined);
    if (!isRenewed || instance.isEnding || isExplained) return;
    if (instance.calmSince + SETTINGS.watchdogTimeout < this.world.now)
      this.report('I4', `${instance.name} has lost ${key} though nothing has happened`);
  }

  /** How long what is free, and wanted since `from`, may stay so, in ms. */
  boundOf(
    { instance, bound, boundOfTwo = bound }: Pick<Wish, 'instance' | 'bound' | 'boundOfTwo'>,
    from: number,
  ): number {
    // The listeners of a queue may have died in the hold before, which shows when its lease ends.
    const since = from - SETTINGS.watchdogTimeout;
    return this.fleet.hurtSince(since, instance) > 1 ? boundOfTwo : bound;
  }

  #checkWishes(): void {
    const { world, fleet } = this;
    const free = new Map<string, boolean>();
    const others = Math.max(fleet.lastTrouble, fleet.losses.longerUntil);
    const sinceWhen = (key: string) => {
      const isFree = free.get(key) ?? !fleet.server.has(key);
      free.set(key, isFree);
      if (!isFree) return Infinity;
      const freeSince = this.#freeSince.get(key) ?? world.now;
      this.#freeSince.set(key, freeSince);
      return freeSince;
    };
    for (const wish of this.wishes) {
      const { instance, key, others: more = [], since, hasOthersBefore = false } = wish;
      // First: it is noted while an instance is away.
      const { calmSince } = instance;
      if (wish.endsWithShutdown === true && instance.isEnding) continue;
      if (!instance.isRunning || !instance.isConnected) continue;
      let freeSince = sinceWhen(key);
      for (const other of more) if (freeSince !== Infinity) freeSince = Math.max(freeSince, sinceWhen(other));
      if (freeSince === Infinity) continue;
      const from = Math.max(freeSince, since, calmSince, hasOthersBefore ? others : 0);
      if (world.now - from > this.boundOf(wish, from))
        this.report(
          'free and wanted',
          `${key} is free for ${Math.round(world.now - from)} ms while ${instance.name} waits`,
        );
    }
    for (const key of this.#freeSince.keys()) if (free.get(key) !== true) this.#freeSince.delete(key);
  }
}
