import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { Address } from './topology/topology.source.js';

/** The Redis client that the suites run on: the environment's `LOCK_TEST_CLIENT`, `ioredis` when it says nothing. */
export const TEST_CLIENT = readClient(process.env['LOCK_TEST_CLIENT']);

/** The version of the protocol of the `redis` package: the environment's `LOCK_TEST_RESP`, 2 when it says nothing. */
const RESP = process.env['LOCK_TEST_RESP'] === '3' ? 3 : 2;

/** What is read of the ioredis options that tests use. */
interface TestedOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinels?: readonly Address[] | null;
  readonly name?: string;
  readonly connectionName?: string;
  readonly natMap?: Readonly<Record<string, Address>>;
}

/** A source of ioredis, as the client of the environment has it. */
export function sourceForClient(source: RedisSource): RedisSource {
  if (TEST_CLIENT === 'ioredis') return source;
  if (typeof source === 'string') return createClient({ url: source, RESP });
  if (source instanceof Cluster) return clusterLike(source);
  const tested: TestedOptions = Object(source instanceof Redis ? source.options : source);
  const { host, port = 6379, sentinels, name = '', natMap, ...rest } = tested;
  const login = loginOf(rest);
  if (!sentinels) return createClient({ ...login, RESP, socket: { ...(host && { host }), port } });
  return {
    sentinelRootNodes: sentinels,
    name,
    nodeClientOptions: { ...login, RESP },
    sentinelClientOptions: { RESP },
    nodeAddressMap: natMap,
  };
}

function clusterLike(cluster: Cluster): RedisSource {
  const { natMap, redisOptions = {} } = cluster.options;
  const nodes: readonly Address[] = Reflect.get(cluster, 'startupNodes');
  return createCluster({
    RESP,
    rootNodes: nodes.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: loginOf(redisOptions as TestedOptions),
    ...(typeof natMap === 'object' && natMap !== null && { nodeAddressMap: natMap }),
  });
}

/** What is as a connection says it is, at its begin. */
function loginOf({ username, password, connectionName }: TestedOptions) {
  return {
    ...(username && { username }),
    ...(password && { password }),
    ...(connectionName && { name: connectionName }),
  };
}

function readClient(name = 'ioredis'): 'ioredis' | 'node-redis' {
  if (name === 'ioredis' || name === 'node-redis') return name;
  throw new Error(`LOCK_TEST_CLIENT is "${name}": give ioredis or node-redis`);
}
