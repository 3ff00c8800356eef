import type { LockHandle } from '../../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import type { Sharing } from '../belief.js';
import type { Look } from '../hold.history.js';
import { RuleWatch } from '../rule.watch.js';
import type { World } from '../world.js';
import type { NodeDeployment } from './node.deployment.js';
import type { NodeInstance } from './node.instance.js';

/** A caller that may believe in its lock. */
export interface NodeBelief {
  readonly instance: NodeInstance;
  readonly key: string;
  readonly sharing: Sharing;
  readonly handle: LockHandle;
}

/** A caller that waits for a lock. */
export interface NodeWish {
  readonly instance: NodeInstance;
  readonly key: string;
  readonly since: number;
  /** How long the lock may be free meanwhile, in ms, while nothing is wrong. */
  readonly bound: number;
}

/** How long an instance takes at most until it is connected to a new master, in ms. */
const RECONNECT = 1500;

/** Checks after each event what holders believe, what the masters have, and what callers wait for. */
export class NodeWatch extends RuleWatch {
  readonly beliefs = new Set<NodeBelief>();
  readonly wishes = new Set<NodeWish>();
  /** How often a holder believed for a while in what a failover had lost. */
  forgiven = 0;
  /** When something last went wrong with servers, with its end. */
  lastTrouble = 0;
  /** The same without slots that move. */
  lastOutage = 0;
  readonly #freeSince = new Map<string, number>();
  readonly #tokens = new Map<string, bigint>();

  constructor(
    world: World,
    private readonly deployment: NodeDeployment,
    private readonly settings: LockSettings,
  ) {
    super(world);
  }

  /** A caller was granted a lock, and believes in it. */
  begin(belief: NodeBelief): void {
    this.beliefs.add(belief);
    const { key, handle, instance } = belief;
    const { token } = handle;
    // While the network is split, the tokens of both sides have no order.
    if (token === undefined || this.deployment.shardOf(key).isolated === instance.name) return;
    const last = this.#tokens.get(key) ?? 0n;
    if (token <= last) this.report('I3', `${key} gave ${token} after ${last}`);
    this.#tokens.set(key, token);
  }

  /** What a judge of histories is to know of a belief now. @param since when its caller asked for it, in ms */
  look(belief: NodeBelief, since: number): Look | undefined {
    const { instance, key, handle } = belief;
    if (!this.beliefs.has(belief) || !instance.isRunning) return undefined;
    if (!this.world.as(instance.process, () => handle.isHeld)) return undefined;
    if (this.#isStored(key, handle.holder) || !this.#isForgiven(belief)) return { lostAt: undefined };
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
    const held = new Map<string, NodeBelief>();
    for (const belief of this.beliefs) {
      const { instance, key, handle } = belief;
      if (!instance.isRunning || !this.world.as(instance.process, () => handle.isHeld)) continue;
      if (!this.#isStored(key, handle.holder)) {
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

  /** A writer has a field of its own, as in Redisson. */
  #isStored(key: string, holder: string): boolean {
    const fields = this.deployment.hash(key);
    return fields.has(holder) || fields.has(`${holder}:write`);
  }

  /**
   * A failover may have lost the grant, unless replicas had to acknowledge it. The holder learns of it at its next renewal, once it has reached
   * the new master: a third of the lease later; and without a connection at its deadline.
   */
  #isForgiven({ instance, key }: NodeBelief): boolean {
    if (instance.isAcked) return false;
    const { promotedAt, healedAt, isolated, wasPromotedInSplit } = this.deployment.shardOf(key);
    if (isolated === instance.name && wasPromotedInSplit) return true;
    const { watchdogTimeout } = this.settings;
    const lostAt = Math.max(promotedAt, healedAt);
    const isCalm = instance.calmSince <= lostAt;
    const learnt = isCalm ? RECONNECT + (watchdogTimeout / 3) * 1.1 : watchdogTimeout;
    return this.world.now <= lostAt + learnt;
  }

  #checkWishes(): void {
    const { world, deployment } = this;
    const free = new Map<string, boolean>();
    for (const { instance, key, since, bound } of this.wishes) {
      if (!instance.isRunning) continue;
      const isFree = free.get(key) ?? !deployment.has(key);
      free.set(key, isFree);
      if (!isFree) continue;
      const freeSince = this.#freeSince.get(key) ?? world.now;
      this.#freeSince.set(key, freeSince);
      if (world.now - Math.max(freeSince, since, this.lastTrouble) > bound)
        this.report(
          'free and wanted',
          `${key} is free for more than ${bound} ms while ${instance.name} waits`,
        );
    }
    for (const key of this.#freeSince.keys()) if (free.get(key) !== true) this.#freeSince.delete(key);
  }
}
