import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import { SLOW_FOR, slowDown, usualNetwork } from '../simulated.wire.js';
import type { World } from '../world.js';
import type { NodeDeployment } from './node.deployment.js';
import type { NodeFault } from './node.faults.js';
import { NodeInstance } from './node.instance.js';
import type { NodeShard } from './node.shard.js';

/** How long a client takes at most to have a connection again, and an answer on it, in ms. */
const RECONNECT = 1200;

/** How long it takes at most until a replica has taken over, and has a replica that is in step, in ms. */
const FAILOVER = 1500 + 1500;

/** How long it takes at most until all nodes and instances know where a slot has gone, in ms. */
const SLOT_CHANGE = 1000 + 500;

/** The pause before an instance that could not start is started again, in ms. */
const START_AGAIN = 500;

/** What a fleet is made of. */
interface NodeFleetParts {
  readonly world: World;
  readonly deployment: NodeDeployment;
  readonly settings: LockSettings;
  readonly started: (instance: NodeInstance) => void;
  /** Servers, or all instances, have trouble until then. */
  readonly trouble: (until: number, isMove?: boolean) => void;
}

/** The instances of an application on servers with replicas. An instance that crashes is followed by another one. */
export class NodeFleet {
  /** How often each kind of fault happened. */
  readonly faults = new Map<string, number>();
  /** The moment at which the last fault ended. */
  lastTrouble = 0;
  readonly #instances: NodeInstance[] = [];
  #generation = 0;
  #serversCalmSince = 0;

  constructor(
    private readonly parts: NodeFleetParts,
    size: number,
  ) {
    for (let place = 0; place < size; place += 1) this.#start(place);
  }

  get live(): readonly NodeInstance[] {
    return this.#instances.filter(({ isLive }) => isLive);
  }

  at(place: number): NodeInstance | undefined {
    return this.#instances[place];
  }

  plan(faults: readonly NodeFault[]): void {
    const { world } = this.parts;
    for (const fault of faults) {
      const { at, kind, instance, shard, size } = fault;
      const what = `fault: ${kind} of i${instance}, shard ${shard} ${size}`;
      world.at(world.outside, at, what, () => this.#apply(fault));
    }
  }

  #start(place: number): void {
    const { world, deployment, settings, started } = this.parts;
    this.#generation += 1;
    const instance = new NodeInstance(world, `i${place}.${this.#generation}`, usualNetwork());
    instance.serversCalmSince = this.#serversCalmSince;
    this.#instances[place] = instance;
    world.after(instance.process, 0, 'started', () => {
      instance.open(deployment, settings).then(
        () => started(instance),
        (error: unknown) => {
          world.note(`not started: ${String(error)}`);
          instance.crash();
          world.after(world.outside, START_AGAIN, 'restart', () => this.#start(place));
        },
      );
    });
  }

  #apply(fault: NodeFault): void {
    const { kind } = fault;
    const instance = this.#instances[fault.instance];
    const shard = this.parts.deployment.shards[fault.shard];
    if (instance === undefined || !instance.isLive || shard === undefined) return;
    if (!this.#applyToInstance(instance, fault) && !this.#applyToShard(shard, instance, fault)) return;
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
  }

  #applyToInstance(instance: NodeInstance, { kind, size, instance: place }: NodeFault): boolean {
    const { world } = this.parts;
    switch (kind) {
      case 'crash':
        instance.crash();
        world.after(world.outside, size, 'restart', () => this.#start(place));
        this.#troubleFor(instance, size + RECONNECT);
        return true;
      case 'stop':
        instance.process.stop(world.now + size);
        this.#troubleFor(instance, size + RECONNECT);
        return true;
      case 'step clock':
        instance.process.wallOffset += size;
        this.#troubleFor(instance, RECONNECT);
        return true;
      case 'cut commands':
      case 'cut messages':
        this.#cut(instance, (isSubscriber) => isSubscriber === (kind === 'cut messages'));
        this.#troubleFor(instance, RECONNECT);
        return true;
      case 'lose replies':
        this.#loseReplies(instance);
        return true;
      case 'partition':
        instance.network.partedUntil = Math.max(instance.network.partedUntil, world.now + size);
        this.#cut(instance, () => true);
        this.#troubleFor(instance, size + RECONNECT);
        return true;
      case 'slow requests':
      case 'slow replies':
        slowDown(world, instance.network[kind === 'slow requests' ? 'requests' : 'replies'], size);
        this.#troubleFor(instance, SLOW_FOR + size + RECONNECT);
        return true;
      default:
        return false;
    }
  }

  /** A connection that is not used for a while is noticed when it is: by then its next reply is lost. */
  #loseReplies(instance: NodeInstance): void {
    const trouble = () => this.#troubleFor(instance, this.parts.settings.commandTimeout * 1.5 + RECONNECT);
    trouble();
    for (const client of instance.clients) if (!client.isSubscriber) client.onLostReply = trouble;
  }

  /** No more replies are lost, also of connections that were not used since: nothing is wrong any more. */
  endLosses(): void {
    for (const { clients } of this.live) for (const client of clients) client.onLostReply = undefined;
  }

  #applyToShard(shard: NodeShard, instance: NodeInstance, { kind, size }: NodeFault): boolean {
    const { world, deployment } = this.parts;
    if (deployment.isMoving === true) return false;
    const isMove = kind === 'move slot';
    const until = world.now + size + (isMove ? SLOT_CHANGE : FAILOVER + RECONNECT);
    this.#serversCalmSince = Math.max(this.#serversCalmSince, until);
    for (const each of this.live) each.serversCalmSince = this.#serversCalmSince;
    this.#trouble(until, isMove);
    switch (kind) {
      case 'crash master':
      case 'restart master':
        shard.crashMaster(size);
        return true;
      case 'split': {
        const { master } = shard;
        return shard.split(instance.name, size, () => {
          for (const other of this.live)
            if (other !== instance)
              for (const client of other.clients)
                if (client.node === master) client.cut('the network is split');
        });
      }
      case 'restart replica':
        shard.restartReplica(size);
        return true;
      case 'cut replication':
        shard.cutReplication(size);
        return true;
      case 'slow replication':
        shard.slowReplication(size, SLOW_FOR);
        return true;
      case 'move slot':
        return deployment.moveSlot?.(size) === true;
      default:
        return false;
    }
  }

  #cut(instance: NodeInstance, isMeant: (isSubscriber: boolean) => boolean): void {
    for (const client of instance.clients)
      if (isMeant(client.isSubscriber)) client.cut('the connection was reset');
  }

  #troubleFor(instance: NodeInstance, duration: number): void {
    const until = this.parts.world.now + duration;
    instance.ownCalmSince = Math.max(instance.ownCalmSince, until);
    this.#trouble(until);
  }

  #trouble(until: number, isMove = false): void {
    this.lastTrouble = Math.max(this.lastTrouble, until);
    this.parts.trouble(until, isMove);
  }
}
