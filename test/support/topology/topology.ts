import type { TopologyServer } from './topology.server.js';
import type { TopologyDescription, TopologyKind } from './topology.source.js';

/** Servers that belong together. Whoever starts them stops them. */
export interface Topology {
  readonly kind: TopologyKind;
  readonly describe: TopologyDescription;
  /** All servers that have data, dead ones as well. */
  readonly servers: readonly TopologyServer[];
  /** Those that are masters now. */
  masters(): Promise<TopologyServer[]>;
  /** Ends all processes, and leaves no folder. */
  stop(): Promise<void>;
}
