import type { Judge } from '../../support/faults/proxy.link.js';
import { TcpProxy } from '../../support/faults/tcp.proxy.js';
import type { Address, TopologyDescription } from '../../support/topology/topology.source.js';
import type { Topology } from '../../support/topology/topology.js';

/** The wires of one worker, one to each server that keeps data; the way to sentinels is direct. */
export class WorkerWires {
  private constructor(
    readonly worker: number,
    private readonly topology: Topology,
    private readonly proxies: ReadonlyMap<string, TcpProxy>,
  ) {}

  static async open(worker: number, topology: Topology): Promise<WorkerWires> {
    const proxies = new Map<string, TcpProxy>();
    for (const { host, port } of topology.servers) proxies.set(`${host}:${port}`, await TcpProxy.open(port));
    return new WorkerWires(worker, topology, proxies);
  }

  /** The store as this worker is to see it: whatever address it is told, a wire of its own stands in front of it. */
  get description(): TopologyDescription {
    const { describe } = this.topology;
    const natMap = Object.fromEntries(
      [...this.proxies].map(([address, { url }]) => [address, addressOf(url)]),
    );
    return describe.kind === 'cluster'
      ? { ...describe, nodes: Object.values(natMap), natMap }
      : { ...describe, natMap };
  }

  cut(): void {
    this.#each((proxy) => proxy.cut());
  }

  refuse(): void {
    this.#each((proxy) => proxy.refuse());
  }

  blackHole(): void {
    this.#each((proxy) => proxy.blackHole());
  }

  halfOpen(): void {
    this.#each((proxy) => proxy.halfOpen());
  }

  judge(judge: Judge): void {
    this.#each((proxy) => proxy.judge(judge));
  }

  /** Everything passes again. */
  restore(): void {
    this.#each((proxy) => {
      proxy.judge(() => 'pass');
      proxy.restore();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
  }

  #each(befall: (proxy: TcpProxy) => void): void {
    for (const proxy of this.proxies.values()) befall(proxy);
  }
}

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
