import type { OpenCluster } from '../client-port/cluster.map.js';
import type { ConnectionWatch, OpenClient, Purpose } from '../client-port/open.client.js';
import type { SendScript } from '../client-port/script.command.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { RedisSource } from './redis-source.reader.js';

/** The packages of clients that the library has an adapter for. */
export type ClientPackage = 'ioredis' | 'redis';

/** The result of reading a source, which is done once: it makes clients, and is never used as one. */
export interface ClientTemplate {
  /** The package of the clients that it makes. */
  readonly client: ClientPackage;
  readonly isCluster: boolean;
  /** A prefix that the source's client puts before keys but not before channels; the library puts it before lock names instead. */
  readonly keyPrefix: string;
  /** Whether the application may start without a connection. */
  readonly lazy: boolean;
  /** The advice to start without a connection, as a sentence. */
  readonly lazyRemedy: string;
  /** For messages; never has a password. */
  readonly address: string;
  /** Whether a failover by sentinels may go unnoticed: then a replaced master can still take writes for seconds. */
  readonly missesFailover: boolean;
  readonly sendScript: SendScript;
  /**
   * Makes a client of the one server, which is not connected yet.
   * @param watch undefined where any server will do, also a replica
   */
  open(purpose: Purpose, wheel: TimerWheel, watch?: ConnectionWatch): OpenClient;
  /** Makes the client of a cluster, which is not connected yet. */
  openCluster(wheel: TimerWheel, watch?: ConnectionWatch): OpenCluster;
  /** A source for the cluster that has the one server as a node. */
  clusterBehind(): RedisSource;
}
