import type { Topology } from './topology.js';
import { TopologyFolder, TopologyServer, type ServerOptions } from './topology.server.js';
import type { TopologyDescription } from './topology.source.js';

/** One server. */
export class StandaloneTopology implements Topology {
  readonly kind = 'standalone';

  private constructor(
    private readonly folder: TopologyFolder,
    readonly server: TopologyServer,
  ) {}

  static async start(options: ServerOptions = {}): Promise<StandaloneTopology> {
    const folder = await TopologyFolder.make();
    try {
      return new StandaloneTopology(folder, await TopologyServer.start(folder, options));
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  get describe(): TopologyDescription {
    return { kind: this.kind, nodes: [this.server.address] };
  }

  get servers(): TopologyServer[] {
    return [this.server];
  }

  async masters(): Promise<TopologyServer[]> {
    return this.servers;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.folder.remove();
  }
}
