import type { ClusterOptions, RedisOptions } from 'ioredis';
import { machine } from '../timing/machine.js';

/** The kinds of values of an option; ioredis checks those of `anything` itself. */
export type ValueKind = 'text' | 'a number' | 'true or false' | 'anything';

/** The kinds of the options that are taken: each option of ioredis is one of them, or has an override. */
type Kept<Options, Overrides> = Record<Exclude<keyof Options, keyof Overrides>, ValueKind> &
  Partial<Record<keyof Options, ValueKind>>;

/**
 * Options that the library sets on each client that it makes, regardless of the source. Lock commands are never sent twice and never
 * queued by the client: the library decides what to do with a command that got no reply, because it can make a repetition safe.
 */
export const CLIENT_OVERRIDES = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  enableOfflineQueue: false,
  enableReadyCheck: true,
  enableAutoPipelining: false,
  autoPipeliningIgnoredCommands: undefined,
  keyPrefix: '',
  lazyConnect: true,
  readOnly: false,
  // From a client in monitor mode: its copies would monitor, too.
  monitor: false,
  stringNumbers: false,
  replyMapping: 'legacy' as const,
  // The first attempt comes soon: a cut connection is more frequent than a server that is gone.
  retryStrategy: (attempt: number) =>
    Math.min(20 * 2 ** Math.min(attempt - 1, 6), 500) * (0.8 + 0.2 * machine.global.Math.random()),
  // A reconnection on NOSCRIPT would break the connection that the script is loaded on; the answer 2 would send a command twice.
  reconnectOnError: null,
  // ioredis would wait for the server's own estimate, up to 10 s, before it asks a loading Redis again.
  maxLoadingRetryTime: 200,
  // Closing a connection that does not answer must not wait for the server's last packet.
  disconnectTimeout: 100,
  // These options would reject commands before their outcome is known.
  commandTimeout: undefined,
  socketTimeout: undefined,
  blockingTimeout: undefined,
  blockingTimeoutGrace: undefined,
  // The application's own commands: one may have the name of a command that the library sends.
  scripts: undefined,
  himportFieldsets: undefined,
  // ioredis declares these options, and does not read them.
  offlineQueue: undefined,
  commandQueue: undefined,
} satisfies RedisOptions;

/** Options that are taken from the source. Its `keyPrefix` goes before lock names, its `lazyConnect` is the module's. */
export const CLIENT_KEPT = {
  Connector: 'anything',
  clientInfoTag: 'text',
  connectTimeout: 'a number',
  connectionName: 'text',
  db: 'a number',
  disableClientInfo: 'true or false',
  enableTLSForSentinelMode: 'true or false',
  failoverDetector: 'true or false',
  family: 'a number',
  host: 'text',
  keepAlive: 'a number',
  keyPrefix: 'text',
  lazyConnect: 'true or false',
  name: 'text',
  natMap: 'anything',
  noDelay: 'true or false',
  password: 'anything',
  path: 'text',
  port: 'a number',
  preferredSlaves: 'anything',
  protocol: 'a number',
  role: 'anything',
  sentinelCommandTimeout: 'a number',
  sentinelMaxConnections: 'a number',
  sentinelPassword: 'anything',
  sentinelReconnectStrategy: 'anything',
  sentinelRetryStrategy: 'anything',
  sentinelTLS: 'anything',
  sentinelUsername: 'anything',
  sentinels: 'anything',
  showFriendlyErrorStack: 'true or false',
  tls: 'anything',
  updateSentinels: 'true or false',
  username: 'anything',
} as const satisfies Kept<RedisOptions, typeof CLIENT_OVERRIDES>;

/** The same as {@link CLIENT_OVERRIDES}, for the options of a Cluster. */
export const CLUSTER_OVERRIDES = {
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  autoPipeliningIgnoredCommands: undefined,
  lazyConnect: true,
  keyPrefix: '',
  scaleReads: 'master',
  maxRedirections: 16,
  retryDelayOnFailover: 0,
  // ioredis would ask any node, also one that is gone; a waiting caller tries again by itself.
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: CLIENT_OVERRIDES.retryStrategy,
  // A lost node is replaced when the map is read again; a node's own client that reconnects would queue commands meanwhile.
  clusterNodeRetryStrategy: null,
  // The library makes its own subscribers, one for each master.
  shardedSubscribers: false,
  scripts: undefined,
  himportFieldsets: undefined,
} as const satisfies ClusterOptions;

/** Options of a Cluster that are taken from the source; of its `redisOptions` those in {@link CLIENT_KEPT}. */
export const CLUSTER_KEPT = {
  dnsLookup: 'anything',
  enableReadyCheck: 'true or false',
  keyPrefix: 'text',
  lazyConnect: 'true or false',
  natMap: 'anything',
  redisOptions: 'anything',
  resolveSrv: 'anything',
  retryDelayOnMoved: 'a number',
  retryDelayOnTryAgain: 'a number',
  showFriendlyErrorStack: 'true or false',
  slotsRefreshInterval: 'a number',
  slotsRefreshTimeout: 'a number',
  useSRVRecords: 'true or false',
} as const satisfies Kept<ClusterOptions, typeof CLUSTER_OVERRIDES>;
