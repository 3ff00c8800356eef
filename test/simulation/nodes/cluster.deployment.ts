import type { Client } from '../../../libs/distributed-lock/src/ioredis-client/client.factory.js';
import { templateOf } from '../../../libs/distributed-lock/src/ioredis-client/ioredis.adapter.js';
import type { ClientTemplate } from '../../../libs/distributed-lock/src/redis-source/client.template.js';
import { MemoryStore } from '../../../libs/distributed-lock/src/memory/memory.store.js';
import { toBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import { slotOf } from '../../../libs/distributed-lock/src/redis/key.slot.js';
import { SeededDice } from '../seeded.dice.js';
import type { SimulatedProcess } from '../simulated.process.js';
import type { StoredPermits } from '../stored.permits.js';
import type { World } from '../world.js';
import { slotViewOf, SLOTS, type SlotView } from './cluster.slots.js';
import type { InstancePlace, NodeDeployment } from './node.deployment.js';
import { NodeShard } from './node.shard.js';
import { ReplyError } from './reply.error.js';
import { COMMON, noCluster, pauseOf } from './sentinel.deployment.js';
import { SimulatedCluster } from './simulated.cluster.js';
import { copyBetween } from './script.effects.js';
import { SimulatedNode, type ScriptSession } from './simulated.node.js';

/** Masters of the cluster, each with a replica. */
export const SHARDS = 3;

/** How long a change takes at most until all nodes know of it, in ms. */
const GOSSIP = 1000;

/** For so long after a failover no slot is moved away, in ms: until every holder knows what was lost. */
const SETTLED = 8000;

/** A slot on its way. */
interface Move {
  readonly slot: number;
  readonly from: NodeShard;
  readonly to: NodeShard;
}

/** Three masters with their replicas, and slots that move. */
export class ClusterDeployment implements NodeDeployment {
  readonly nodes: readonly SimulatedNode[];
  readonly shards: readonly NodeShard[];
  readonly #owners = Uint8Array.from({ length: SLOTS }, (_, slot) => Math.floor((slot * SHARDS) / SLOTS));
  /** What each node knows. */
  readonly #views = new Map<SimulatedNode, SlotView>();
  readonly #dice: SeededDice;
  #move: Move | undefined;

  constructor(private readonly world: World) {
    this.#dice = new SeededDice(world.seed, 'cluster');
    const pairs = Array.from(
      { length: SHARDS },
      (_, place) => [new SimulatedNode(world, `m${place}`), new SimulatedNode(world, `r${place}`)] as const,
    );
    this.nodes = pairs.flat();
    this.shards = pairs.map((pair) => new NodeShard(world, pair, () => this.#changed(pair)));
    this.#changed(this.nodes);
    for (const node of this.nodes) {
      node.redirect = (keys, session) => this.#redirect(node, keys, session);
      node.refuseChannel = (channel) => this.#refuseChannel(node, slotOf(channel));
    }
  }

  /** The clocks of all servers are right. */
  get process(): SimulatedProcess {
    return this.world.outside;
  }

  get isMoving(): boolean {
    return this.#move !== undefined;
  }

  shardOf(key: string): NodeShard {
    const [first] = this.shards;
    const shard = this.shards[this.#owners[slotOf(key)] ?? 0] ?? first;
    if (shard === undefined) throw new RangeError('a cluster has shards');
    return shard;
  }

  hash(key: string): ReadonlyMap<string, string> {
    return this.#holderOf(key).hash(key);
  }

  has(key: string): boolean {
    return this.#holderOf(key).has(key);
  }

  list(key: string): readonly string[] {
    return this.#holderOf(key).list(key);
  }

  count(key: string): number | undefined {
    return this.#holderOf(key).count(key);
  }

  permits(key: string): StoredPermits {
    return this.#holderOf(`{${key}}:timeout`).permits(key);
  }

  templateFor(place: InstancePlace): ClientTemplate {
    const clientPlace = {
      ...place,
      find: (address: string | undefined) =>
        this.nodes.find(({ key }) => key === address) ?? new Error('getaddrinfo ENOTFOUND'),
      slotsOf: (node: SimulatedNode) => this.#views.get(node),
    };
    return templateOf(
      {
        ...COMMON,
        isCluster: true,
        nodeOptions: (purpose) => ({
          connectionName: purpose,
          retryStrategy: pauseOf(place),
          enableOfflineQueue: false,
        }),
        create: (purpose) => {
          const cluster = new SimulatedCluster({
            place: clientPlace,
            startupNodes: this.nodes.map(({ key }) => key),
            connectionName: purpose,
            retryStrategy: pauseOf(place),
          });
          return cluster as object as Client;
        },
      },
      noCluster,
    );
  }

  /** Moves the slot of a key that is there to another shard. @returns whether it happens */
  moveSlot(duration: number): boolean {
    const { now } = this.world;
    const isWell = ({ isInStep, promotedAt }: NodeShard) => isInStep && promotedAt + SETTLED < now;
    const keys = this.shards.flatMap(({ master }) => master.keyNames());
    if (this.#move !== undefined || keys.length === 0 || !this.shards.every(isWell)) return false;
    const key = this.#dice.pick(keys);
    const from = this.shardOf(key);
    const to = this.#dice.pick(this.shards.filter((shard) => shard !== from));
    const move = { slot: slotOf(key), from, to };
    this.#move = move;
    this.#after(duration * 0.3, `the keys of slot ${move.slot} move`, () => this.#moveKeys(move));
    this.#after(duration * 0.7, `new keys of slot ${move.slot} move`, () => this.#moveKeys(move));
    this.#after(duration, `slot ${move.slot} has moved`, () => this.#finish(move));
    return true;
  }

  #finish(move: Move): void {
    const { slot, from, to } = move;
    this.#moveKeys(move);
    this.#move = undefined;
    this.#owners[slot] = this.shards.indexOf(to);
    this.#changed([from.master, from.replica, to.master, to.replica]);
    for (const session of from.master.sessions) session.dropChannels(slot);
  }

  /** Together: a script that finds one of them gone fails in Redis, and would not notice it in the store in memory. */
  #moveKeys({ slot, from, to }: Move): void {
    const names = from.master.keyNames().filter((key) => slotOf(key) === slot);
    for (const name of names) {
      const key = toBytes(name);
      const copy = new MemoryStore();
      copyBetween(from.master.store, copy, key);
      const put = (store: MemoryStore) => copyBetween(copy, store, key);
      const remove = (store: MemoryStore) => void store.keys.delete(key);
      put(to.master.store);
      to.master.propagate(put);
      remove(from.master.store);
      from.master.propagate(remove);
    }
  }

  /** While its slot moves, a key is where it is. */
  #holderOf(key: string): SimulatedNode {
    const { master } = this.shardOf(key);
    const move = this.#move;
    return move !== undefined && move.slot === slotOf(key) && !master.has(key) ? move.to.master : master;
  }

  #redirect(node: SimulatedNode, names: readonly string[], session: ScriptSession): ReplyError | undefined {
    // A key that is named twice is one key.
    const keys = [...new Set(names)];
    const slot = slotOf(keys[0] ?? '');
    const owner = this.#views.get(node)?.slots[slot]?.[0] ?? '';
    const missing = keys.filter((key) => !node.has(key)).length;
    const move = this.#move?.slot === slot ? this.#move : undefined;
    if (owner === node.key) {
      if (move?.from.master !== node || missing === 0) return undefined;
      if (missing < keys.length) return tryAgain();
      return new ReplyError(`ASK ${slot} ${move.to.master.key}`);
    }
    if (move?.to.master === node && session.isAsking)
      return keys.length > 1 && missing > 0 ? tryAgain() : undefined;
    return new ReplyError(`MOVED ${slot} ${owner}`);
  }

  #refuseChannel(node: SimulatedNode, slot: number): ReplyError | undefined {
    const owners = this.#views.get(node)?.slots[slot] ?? [];
    return owners.includes(node.key) ? undefined : new ReplyError(`MOVED ${slot} ${owners[0]}`);
  }

  /** @param first the nodes that know of it at once; the others hear of it later */
  #changed(first: readonly SimulatedNode[]): void {
    const view = slotViewOf(this.#owners, this.shards);
    for (const node of this.nodes) {
      const known = this.#views.get(node);
      if (first.includes(node)) this.#views.set(node, view);
      else
        this.#after(this.#dice.below(GOSSIP), '', () => {
          // What is newer may have come first.
          if (this.#views.get(node) === known) this.#views.set(node, slotViewOf(this.#owners, this.shards));
        });
    }
  }

  #after(delay: number, what: string, run: () => void): void {
    this.world.after(this.world.outside, delay, what, run);
  }
}

function tryAgain(): ReplyError {
  return new ReplyError('TRYAGAIN Multiple keys request during rehashing of slot');
}
