import { scaled } from '../slowness.js';
import { until } from '../until.js';
import { ClusterView } from './cluster.view.js';
import type { Topology } from './topology.js';
import { TopologyFolder, TopologyServer, type ServerOptions } from './topology.server.js';
import type { TopologyDescription } from './topology.source.js';

const MASTERS = 3;
const SLOTS = 16_384;
/** How long a node may be silent before the others take it for dead, in ms. */
const NODE_TIMEOUT = scaled(1500);
const NODE = [
  ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
  ...['--cluster-node-timeout', `${NODE_TIMEOUT}`, '--cluster-replica-validity-factor', '0'],
  // A new replica does not wait for others that may come, and a master that lost its replicas does not get others.
  ...['--repl-diskless-sync-delay', '0', '--cluster-allow-replica-migration', 'no'],
];
/** Keys that travel in one MIGRATE. */
const LOAD = 100;

/** Three masters, each with a third of the slots and a replica. */
export class ClusterTopology implements Topology {
  readonly kind = 'cluster';
  readonly #view: ClusterView;

  private constructor(
    private readonly folder: TopologyFolder,
    readonly servers: readonly TopologyServer[],
  ) {
    this.#view = new ClusterView(servers);
  }

  static async start(options: ServerOptions = {}): Promise<ClusterTopology> {
    const folder = await TopologyFolder.make();
    const own = { ...options, args: [...NODE, ...(options.args ?? [])] };
    const started: TopologyServer[] = [];
    try {
      await Promise.all(
        Array.from({ length: 2 * MASTERS }, async () => {
          started.push(await TopologyServer.start(folder, own));
        }),
      );
      const topology = new ClusterTopology(folder, started);
      await topology.#form();
      return topology;
    } catch (error) {
      await Promise.all(started.map((server) => server.stop()));
      await folder.remove();
      throw error;
    }
  }

  get describe(): TopologyDescription {
    return { kind: this.kind, nodes: this.servers.map(({ address }) => address) };
  }

  async masters(): Promise<TopologyServer[]> {
    return await this.#view.masters();
  }

  /** The master of a slot, as most nodes that live see it. */
  async masterOf(slot: number): Promise<TopologyServer> {
    return await this.#view.masterOf(slot);
  }

  async replicasOf(master: TopologyServer): Promise<TopologyServer[]> {
    return await this.#view.replicasOf(master);
  }

  /** Waits until every node that lives says that all is well, and every replica follows. */
  async complete(): Promise<void> {
    await until('the cluster is well', async () => await this.#view.isWell(), 30_000);
  }

  /**
   * Makes the replica of a slot's master the master, in order.
   * @returns the new master
   */
  async failOver(slot: number): Promise<TopologyServer> {
    const former = await this.masterOf(slot);
    const replica = (await this.replicasOf(former)).find(({ isAlive }) => isAlive);
    if (replica === undefined) throw new Error(`the master of slot ${slot} has no replica`);
    await until(
      'the replica takes over',
      async () => {
        // One that has lost sight of its master refuses, and a vote may come to nothing.
        await replica.admin.call('CLUSTER', 'FAILOVER').catch(() => undefined);
        const end = performance.now() + 300;
        await until('it has', async () => performance.now() > end || (await this.masterOf(slot)) === replica);
        return (await this.masterOf(slot)) === replica;
      },
      20_000,
    );
    return await this.succeeded(slot, former);
  }

  /**
   * Kills the master of a slot. The others notice, and make its replica the master: see {@link succeeded}.
   * @returns what was killed
   */
  async killMaster(slot: number): Promise<TopologyServer> {
    const master = await this.masterOf(slot);
    await master.kill();
    return master;
  }

  /** Waits until all nodes that live name another master of the slot than `former`, and the cluster takes commands. */
  async succeeded(slot: number, former: TopologyServer): Promise<TopologyServer> {
    await until(
      `slot ${slot} has another master`,
      async () => {
        const owners = new Set(await this.#view.ownersOf(slot));
        return owners.size === 1 && !owners.has(former.port) && (await this.#view.isUp());
      },
      30_000,
    );
    return await this.masterOf(slot);
  }

  /** Starts a node that was killed again: it becomes a replica of whoever took its place. */
  async restart(server: TopologyServer, keepData = false): Promise<void> {
    await server.restart({ keepData });
    await this.complete();
  }

  /**
   * Moves a slot, with its keys, as `redis-cli --cluster reshard` does.
   * @param meanwhile what is done while the slot is at both: before its keys move
   */
  async migrateSlot(slot: number, to: TopologyServer, meanwhile?: () => Promise<unknown>): Promise<void> {
    const from = await this.masterOf(slot);
    if (from === to) return;
    const [source, target] = await Promise.all([this.#view.idOf(from), this.#view.idOf(to)]);
    const set = (server: TopologyServer, ...words: string[]) =>
      server.admin.call('CLUSTER', 'SETSLOT', `${slot}`, ...words);
    await set(to, 'IMPORTING', source);
    await set(from, 'MIGRATING', target);
    await meanwhile?.();
    for (;;) {
      const keys = await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, LOAD);
      if (!Array.isArray(keys) || keys.length === 0) break;
      await from.admin.call('MIGRATE', to.host, to.port, '', 0, 5000, 'KEYS', ...keys.map(String));
    }
    // The new owner first: between the two, nobody would have it.
    await set(to, 'NODE', target);
    await set(from, 'NODE', target);
    const others = (await this.masters()).filter((server) => server !== to && server !== from);
    await Promise.all(others.map((server) => set(server, 'NODE', target)));
    await until(
      `slot ${slot} is at its new place`,
      async () => {
        const owners = await this.#view.ownersOf(slot);
        return owners.every((port) => port === to.port);
      },
      20_000,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.folder.remove();
  }

  async #form(): Promise<void> {
    const { servers } = this;
    const [masters, replicas] = [servers.slice(0, MASTERS), servers.slice(MASTERS)];
    const share = Math.ceil(SLOTS / MASTERS);
    await Promise.all(
      masters.map(async ({ admin }, index) => {
        const first = index * share;
        const slots = Array.from({ length: Math.min(share, SLOTS - first) }, (_, slot) => first + slot);
        await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
        await admin.call('CLUSTER', 'ADDSLOTS', ...slots);
      }),
    );
    // Gossip would find the others, too, in a second or two.
    await Promise.all(
      servers.flatMap(({ admin }, index) =>
        servers.slice(index + 1).map(({ host, port }) => admin.call('CLUSTER', 'MEET', host, port)),
      ),
    );
    await until('all nodes have met', async () => await this.#view.haveMet(), 20_000);
    await Promise.all(
      replicas.map(async ({ admin }, index) => {
        const master = masters[index];
        if (master === undefined) return;
        await admin.call('CLUSTER', 'REPLICATE', await this.#view.idOf(master));
      }),
    );
    await this.complete();
  }
}
