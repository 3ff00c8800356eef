import { ClusterTopology } from '../../support/topology/cluster.topology.js';
import { SentinelTopology } from '../../support/topology/sentinel.topology.js';
import { StandaloneTopology } from '../../support/topology/standalone.topology.js';
import type { Address, TopologyDescription } from '../../support/topology/topology.source.js';
import { until } from '../../support/until.js';
import type { TopologyServer } from '../../support/topology/topology.server.js';
import type { ChaosGround, ChaosStage, Fault, RedisWay, Topology } from '../chaos.types.js';
import { infoOf, sendTo } from './server.line.js';
import { WallClocks } from './wall.clocks.js';
import { WorkerWires } from './worker.wires.js';

/** What faults set, as it is in good times. */
const SETTINGS = ['maxmemory', '0', 'maxmemory-policy', 'noeviction', 'save', ''];
/** A server that is killed and comes again has all that it has answered for. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

const STORES = { standalone: StandaloneTopology, sentinel: SentinelTopology, cluster: ClusterTopology };

type Store = StandaloneTopology | SentinelTopology | ClusterTopology;
export type GroundFault = Fault<BreakableGround>;
export type GroundStage = ChaosStage<BreakableGround>;

/** A store and wires to it, all of which can be broken, and mended. */
export class BreakableGround implements ChaosGround {
  readonly wires: readonly WorkerWires[];
  readonly #clocks: WallClocks;

  private constructor(
    readonly store: Store,
    wires: WorkerWires[],
    clocks: WallClocks,
  ) {
    this.wires = wires;
    this.#clocks = clocks;
  }

  /** @param workers how many processes get wires and a clock of their own */
  static async open(topology: Topology, workers: number): Promise<BreakableGround> {
    const clocks = await WallClocks.make();
    const options = { persistent: true, args: DURABLE, env: clocks.envOf('store') };
    const store = await STORES[topology].start(options);
    const wires = await Promise.all(
      Array.from({ length: workers }, (_, worker) => WorkerWires.open(worker, store)),
    );
    return new BreakableGround(store, wires, clocks);
  }

  get topology(): Topology {
    return this.store.kind;
  }

  get servers(): readonly TopologyServer[] {
    return this.store.servers;
  }

  get direct(): RedisWay {
    return wayTo(this.store.describe);
  }

  /** @throws on another topology */
  get sentinel(): SentinelTopology {
    if (this.store instanceof SentinelTopology) return this.store;
    throw new Error('this store has no sentinels');
  }

  /** @throws on another topology */
  get cluster(): ClusterTopology {
    if (this.store instanceof ClusterTopology) return this.store;
    throw new Error('this store is no cluster');
  }

  /** For how long a master may be silent, in ms, and nobody takes its place. */
  get patience(): number {
    return this.topology === 'standalone' ? 3000 : 600;
  }

  /** Why no process can be given a clock of its own; nothing where it can. */
  get withoutClocks(): string | undefined {
    return this.#clocks.missing;
  }

  wayOf(worker: number): RedisWay {
    const wires = this.wires[worker];
    if (wires === undefined) throw new Error(`there are wires for ${this.wires.length} workers only`);
    return wayTo(wires.description);
  }

  envOf(worker: number): Readonly<Record<string, string>> {
    return this.#clocks.envOf(`worker-${worker}`);
  }

  async masters(): Promise<readonly number[]> {
    return (await this.store.masters()).map(({ port }) => port);
  }

  async replicas(): Promise<TopologyServer[]> {
    const masters = await this.store.masters();
    return this.servers.filter((server) => !masters.includes(server));
  }

  /** Steps the clock of all servers to this many seconds beside the machine's. */
  async setStoreClock(seconds: number): Promise<void> {
    await this.#clocks.set('store', seconds);
  }

  async setWorkerClock(worker: number, seconds: number): Promise<void> {
    await this.#clocks.set(`worker-${worker}`, seconds);
  }

  /** Starts a server again; where there are others, until they know it. */
  async restart(server: TopologyServer, keepData: boolean): Promise<void> {
    const { store } = this;
    await (store instanceof StandaloneTopology
      ? server.restart({ keepData })
      : store.restart(server, keepData));
  }

  /** Starts a standalone server that was killed with its data, and lets it take long. @param delay for each key, in µs */
  async restartLoading(server: TopologyServer, delay: number): Promise<void> {
    const slow = ['--key-load-delay', `${delay}`, '--loading-process-events-interval-bytes', '1024'];
    await server.restart({ keepData: true, args: [...DURABLE, ...slow] });
    await until(
      'it has loaded',
      async () => (await infoOf(server.port, 'persistence', 'loading')) === '0',
      10_000,
    );
  }

  /** Waits until all servers that live know each other, and every replica follows. */
  async whole(): Promise<void> {
    if (!(this.store instanceof StandaloneTopology)) await this.store.complete();
  }

  async mend(): Promise<void> {
    for (const wires of this.wires) wires.restore();
    for (const name of this.#clocks.names) await this.#clocks.set(name, 0);
    for (const server of this.servers) await server.resume();
    for (const server of this.servers) if (!server.isAlive) await this.restart(server, true);
    await Promise.all(
      this.servers.map(async ({ port }) => {
        await sendTo(port, 'CONFIG', 'SET', ...SETTINGS);
        await sendTo(port, 'CLIENT', 'UNPAUSE');
      }),
    );
    await this.whole();
  }

  async close(): Promise<void> {
    await Promise.all(this.wires.map((wires) => wires.close()));
    await this.store.stop();
    await this.#clocks.remove();
  }
}

function wayTo({ kind, nodes, name = '', natMap = {} }: TopologyDescription): RedisWay {
  if (kind === 'cluster') return { kind, nodes, natMap };
  if (kind === 'sentinel') return { kind, name, sentinels: nodes, natMap };
  const [node] = nodes.map((address) => natMap[keyOf(address)] ?? address);
  if (node === undefined) throw new Error('a store without a server');
  return { kind, url: `redis://${keyOf(node)}` };
}

function keyOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
