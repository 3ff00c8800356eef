import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import { isStored, type Belief, type Wish } from '../belief.js';
import type { CallerWatch } from '../caller.loop.js';
import type { CallingInstance } from '../calling.instance.js';
import { DataLosses } from '../data.losses.js';
import type { Look } from '../hold.history.js';
import { RuleWatch } from '../rule.watch.js';
import type { World } from '../world.js';
import type { NodeDeployment } from './node.deployment.js';
import { NodeInstance } from './node.instance.js';

/** How long an instance takes at most until it is connected to a new master, in ms. */
const RECONNECT = 1500;

/** Checks after each event what holders believe, what the masters have, and what callers wait for. */
export class NodeWatch extends RuleWatch implements CallerWatch {
  readonly beliefs = new Set<Belief>();
  readonly wishes = new Set<Wish>();
  /** What callers take from each other. */
  readonly losses: DataLosses;
  /** How often a holder believed for a while in what a failover had lost. */
  forgiven = 0;
  /** When something last went wrong with servers, with its end. */
  lastTrouble = 0;
  /** The same without slots that move. */
  lastOutage = 0;
  readonly #freeSince = new Map<string, number>();
  readonly #tokens = new Map<string, bigint>();
  readonly #begunAt = new WeakMap<Belief, number>();

  constructor(
    world: World,
    private readonly deployment: NodeDeployment,
    private readonly settings: LockSettings,
  ) {
    super(world);
    this.losses = new DataLosses(world, settings.watchdogTimeout);
  }

  begin(belief: Belief): void {
    this.beliefs.add(belief);
    this.#begunAt.set(belief, belief.since ?? this.world.now);
    const { key, handle, instance } = belief;
    const { token } = handle;
    // While the network is split, the tokens of both sides have no order.
    if (token === undefined || this.deployment.shardOf(key).isolated === instance.name) return;
    const last = this.#tokens.get(key) ?? 0n;
    if (token <= last) this.report('I3', `${key} gave ${token} after ${last}`);
    this.#tokens.set(key, token);
  }

  end(belief: Belief): void {
    this.beliefs.delete(belief);
  }

  /** Whether nothing is known that could have ended it. */
  isCertain(belief: Belief): boolean {
    return this.#isHeld(belief) && !this.#isForgiven(belief);
  }

  mayHaveLost(key: string, since: number, instance: CallingInstance): boolean {
    return this.losses.lostAt(key, since, instance) !== undefined || this.#mayLack(key, instance);
  }

  /** Replicas have acknowledged each of them. */
  keepsGrants(instance: CallingInstance): boolean {
    return instance instanceof NodeInstance && instance.isAcked;
  }

  /** What a judge of histories is to know of a belief now. @param since when its caller asked for it, in ms */
  look(belief: Belief, since: number): Look | undefined {
    const { key } = belief;
    if (!this.beliefs.has(belief) || !this.#isHeld(belief)) return undefined;
    if (isStored(this.deployment, belief) || !this.#isForgiven(belief)) return { lostAt: undefined };
    const { promotedAt } = this.deployment.shardOf(key);
    // The old master of a split network still grants locks, and they do not count.
    return since > promotedAt ? undefined : { lostAt: promotedAt };
  }

  trouble(until: number, isMove = false): void {
    this.lastTrouble = Math.max(this.lastTrouble, until);
    if (!isMove) this.lastOutage = Math.max(this.lastOutage, until);
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
      if (!this.#isHeld(belief)) continue;
      if (!isStored(this.deployment, belief)) {
        if (!this.#isForgiven(belief))
          this.report(
            'in store',
            `${instance.name} believes in ${key} of ${handle.holder}, which the master does not have`,
          );
        this.forgiven += 1;
        continue;
      }
      const other = held.get(key);
      if (other === undefined || other.sharing === 'with readers') held.set(key, belief);
      if (other === undefined || other.handle.holder === handle.holder) continue;
      if (other.sharing === 'alone' || belief.sharing === 'alone')
        this.report('I1', `${other.instance.name} and ${instance.name} both believe in ${key}`);
    }
  }

  #isForgiven(belief: Belief): boolean {
    return this.mayHaveLost(belief.key, this.#begunAt.get(belief) ?? 0, belief.instance);
  }

  #isHeld({ instance, handle }: Belief): boolean {
    return instance.isRunning && this.world.as(instance.process, () => handle.isHeld);
  }

  /**
   * A failover may have lost the grant, unless replicas had to acknowledge it. The holder learns of it at its next renewal, once it has reached
   * the new master: a third of the lease later; and at its deadline without a connection, as where the new master is gone as well.
   */
  #mayLack(key: string, instance: CallingInstance): boolean {
    if (!(instance instanceof NodeInstance) || instance.isAcked) return false;
    const { master, promotedAt, healedAt, isolated, wasPromotedInSplit } = this.deployment.shardOf(key);
    if (isolated === instance.name && wasPromotedInSplit) return true;
    const { watchdogTimeout } = this.settings;
    const lostAt = Math.max(promotedAt, healedAt);
    const isCalm = instance.ownCalmSince <= lostAt && master.isUp && master.upSince <= lostAt;
    const learnt = isCalm ? RECONNECT + (watchdogTimeout / 3) * 1.1 : watchdogTimeout;
    return this.world.now <= lostAt + learnt;
  }

  #checkWishes(): void {
    const { world, deployment } = this;
    const free = new Map<string, boolean>();
    const sinceWhen = (key: string) => {
      const isFree = free.get(key) ?? !deployment.has(key);
      free.set(key, isFree);
      if (!isFree) return Infinity;
      const freeSince = this.#freeSince.get(key) ?? world.now;
      this.#freeSince.set(key, freeSince);
      return freeSince;
    };
    for (const { instance, key, others = [], since, bound } of this.wishes) {
      if (!instance.isRunning || !instance.isConnected) continue;
      let freeSince = sinceWhen(key);
      for (const other of others)
        if (freeSince !== Infinity) freeSince = Math.max(freeSince, sinceWhen(other));
      if (freeSince === Infinity) continue;
      if (world.now - Math.max(freeSince, since, this.lastTrouble) > bound)
        this.report(
          'free and wanted',
          `${key} is free for more than ${bound} ms while ${instance.name} waits`,
        );
    }
    for (const key of this.#freeSince.keys()) if (free.get(key) !== true) this.#freeSince.delete(key);
  }
}
