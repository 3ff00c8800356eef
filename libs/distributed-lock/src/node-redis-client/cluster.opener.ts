import type { NodeKey, OpenCluster } from '../client-port/cluster.map.js';
import type { ConnectionWatch, Purpose } from '../client-port/open.client.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import type { NodeAddressMap, NodeRedisCluster } from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { splitAddress } from './address.map.js';
import { ClientMaker } from './client.maker.js';
import { ClusterClient } from './cluster.client.js';
import { NodeClient } from './node.client.js';
import { NodeRedisClusterMap } from './node-redis.cluster.map.js';
import { NodeRedisTrouble } from './node-redis.trouble.js';
import type { RedisPackage } from './package.loader.js';
import type { RawOptions } from './raw.client.js';
import { SlotFinder } from './slot.finder.js';
import { optionsOfUrl } from './url.options.js';

/** The options of a cluster client that are in use. */
interface ClusterOptions {
  readonly rootNodes: readonly (RawOptions & { readonly url?: string })[];
  /** Of every node. */
  readonly defaults?: RawOptions | undefined;
  readonly RESP?: number | undefined;
  /** Since version 6. */
  readonly keyPrefix?: string | undefined;
  readonly nodeAddressMap?: NodeAddressMap | undefined;
}

/**
 * Makes clients of the cluster that a cluster client is for. The library has its own routing, so it uses the options of that client, and none
 * of its code.
 * @throws LockConfigurationError `INVALID_OPTION` for a client that does not show its options
 */
export function clusterOf(
  given: NodeRedisCluster,
  createClient: RedisPackage['createClient'],
): Pick<ClientTemplate, 'openCluster' | 'keyPrefix'> {
  const { rootNodes, defaults, RESP, nodeAddressMap, ...rest } = readCluster(given);
  const keyPrefix = rest.keyPrefix ?? defaults?.keyPrefix ?? '';
  const roots = rootNodes.map(rootOf);
  const [any] = roots;
  // As in the client itself: the options of a root node are for the first question, those of all nodes are the defaults.
  const maker = new ClientMaker(createClient({ ...any?.login, ...defaults, RESP }));
  const openCluster = (wheel: TimerWheel, watch?: ConnectionWatch): OpenCluster => {
    const demands = { master: false, warn: watch?.warn ?? (() => undefined) };
    const clientOf = (purpose: Purpose, isOnce: boolean) => (node: NodeKey) =>
      new NodeClient({
        wheel,
        demands,
        isOnce,
        make: (signal) => maker.client(purpose, signal, splitAddress(node)),
      });
    const once = clientOf('commands', true);
    const finder = new SlotFinder({
      wheel,
      nodeAddressMap,
      rootNodes: roots.map(({ key }) => key),
      clientOf: once,
    });
    const client = new ClusterClient({ wheel, finder, clientOf: once });
    const map = new NodeRedisClusterMap({
      cluster: client,
      nodeAddressMap,
      clientOf: once,
      subscriberOf: clientOf('subscriber', false),
    });
    return { client, trouble: new NodeRedisTrouble(), map };
  };
  return { openCluster, keyPrefix };
}

/** The address of a root node, and how to log in there. */
function rootOf({ url, socket, ...login }: ClusterOptions['rootNodes'][number]): {
  key: NodeKey;
  login: RawOptions;
} {
  const read = url === undefined ? {} : optionsOfUrl(url, 'redis').options;
  const { host = 'localhost', port = 6379, tls } = { ...socket, ...read.socket };
  const { database: _, ...rest } = { database: undefined, ...read, ...login };
  return { key: `${host}:${port}`, login: { ...rest, socket: tls === true ? { tls } : {} } };
}

function readCluster(given: NodeRedisCluster): ClusterOptions {
  const options: unknown = Reflect.get(given, '_options');
  if (isClusterOptions(options)) return options;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    'The cluster client in "redis" does not show its options. Give a client that createCluster() of the package "redis" has made, of version 5 or 6.',
  );
}

function isClusterOptions(options: unknown): options is ClusterOptions {
  return (
    typeof options === 'object' &&
    options !== null &&
    'rootNodes' in options &&
    Array.isArray(options.rootNodes)
  );
}
