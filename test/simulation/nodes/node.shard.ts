import type { World } from '../world.js';
import type { SimulatedNode } from './simulated.node.js';

/** How long it takes until a master that is gone is noticed, and its replica takes over, in ms. */
const DETECTION = { least: 200, most: 1500 };

/** A master and its replica, which take turns. */
export class NodeShard {
  master: SimulatedNode;
  replica: SimulatedNode;
  /** When a replica last took over. */
  promotedAt = -Infinity;
  /** When the last split of the network ended. */
  healedAt = -Infinity;
  /** How often it has lost what its master had executed. */
  losses = 0;
  /** The instance that is on the side of the old master while the network is split. */
  isolated: string | undefined;
  /** Whether the replica has taken over since the network was split. */
  wasPromotedInSplit = false;

  constructor(
    private readonly world: World,
    nodes: readonly [SimulatedNode, SimulatedNode],
    /** Called when a replica has taken over. */
    private readonly promoted: () => void = () => undefined,
  ) {
    [this.master, this.replica] = nodes;
    this.master.attach(this.replica, 0);
  }

  /** Whether the replica gets what the master executes. */
  get isInStep(): boolean {
    return this.master.replicaLinks.length > 0;
  }

  /** The master goes down; unless it is soon back, its replica takes over with what it has. */
  crashMaster(downFor: number): void {
    const { master, replica, isInStep } = this;
    master.restart(downFor);
    if (isInStep)
      this.#after(this.#detection(), 'the replica takes over', () => {
        if (!master.isUp && replica.isUp && this.master === master) this.#promote();
      });
    this.#after(downFor, 'the master is back', () => this.#rejoin());
  }

  /**
   * The network is split: one instance stays with the master, all others are with the replica, which takes over.
   * @param cutOthers ends the connections of all other instances to the master
   * @returns whether it happens: not while the replica is not in step
   */
  split(instance: string, duration: number, cutOthers: () => void): boolean {
    if (!this.isInStep || this.isolated !== undefined) return false;
    const { master } = this;
    this.isolated = instance;
    this.wasPromotedInSplit = false;
    master.detach();
    cutOthers();
    this.#after(this.#detection(), 'the replica takes over', () => {
      if (this.isolated !== undefined && this.master === master && this.replica.isUp) this.#promote();
    });
    this.#after(duration, 'the network is whole again', () => {
      this.isolated = undefined;
      this.healedAt = this.world.now;
      if (this.master !== master) {
        master.restart(1);
        this.losses += 1;
      }
      this.#after(1, '', () => this.#rejoin());
    });
    return true;
  }

  restartReplica(downFor: number): void {
    this.master.detach();
    this.replica.restart(downFor);
    this.#after(downFor, 'the replica is back', () => this.#rejoin());
  }

  /** The replica gets nothing until then. */
  cutReplication(duration: number): void {
    this.master.detach();
    this.#after(duration, 'replication goes on', () => this.#rejoin());
  }

  slowReplication(most: number, duration: number): void {
    const [link] = this.master.replicaLinks;
    if (link === undefined) return;
    link.delays.most = most;
    this.#after(duration, '', () => {
      link.delays.most = 1;
    });
  }

  #rejoin(): void {
    if (this.isolated === undefined && this.master.isUp && this.replica.isUp && !this.isInStep)
      this.master.attach(this.replica);
  }

  #promote(): void {
    const { master, replica } = this;
    master.detach();
    if (master.hasUnreplicated) this.losses += 1;
    replica.promote();
    this.master = replica;
    this.replica = master;
    this.promotedAt = this.world.now;
    // Of the old master only the instance that is cut off together with it hears anything.
    if (this.isolated === undefined) master.isMaster = false;
    else this.wasPromotedInSplit = true;
    this.promoted();
  }

  #detection(): number {
    return this.world.outside.dice.between(DETECTION.least, DETECTION.most);
  }

  #after(delay: number, what: string, run: () => void): void {
    this.world.after(this.world.outside, delay, what, run);
  }
}
