import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';

export type TopologyKind = 'standalone' | 'sentinel' | 'cluster';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a topology is, as JSON: a forked process, or a test file, makes a source of it. */
export interface TopologyDescription {
  readonly kind: TopologyKind;
  /** The one server, the sentinels, or nodes of the cluster. */
  readonly nodes: readonly Address[];
  /** The name that sentinels know the master by. */
  readonly name?: string;
  /** What to connect to instead of an address that a sentinel or a node tells, `host:port` each: a proxy in front of it. */
  readonly natMap?: Readonly<Record<string, Address>>;
}

/** Options of every connection, wherever it leads. */
export type ConnectionOptions = Omit<
  NonNullable<ClusterOptions['redisOptions']>,
  'replyMapping' | 'sentinels'
> &
  Pick<RedisOptions, 'failoverDetector'>;

/** What `openLockService`, and the module's option `redis`, take. */
export type TopologySource = Omit<RedisOptions, 'replyMapping'> | Cluster;

/**
 * What a description leads to. That of a cluster is a client, which serves as a template: see {@link closeSource}.
 * @param options of every connection, like `password` or `connectionName`; with Sentinel, `failoverDetector: false` leaves that out
 */
export function sourceOf(description: TopologyDescription, options: ConnectionOptions = {}): TopologySource {
  const { kind, nodes, name, natMap } = description;
  if (kind === 'cluster') {
    const cluster = new Cluster([...nodes], { redisOptions: options, natMap });
    // It reports what it retries; what becomes of that is seen by whoever asks it something.
    cluster.on('error', () => undefined);
    return cluster;
  }
  if (kind === 'sentinel')
    return { failoverDetector: true, ...options, sentinels: [...nodes], name, natMap: { ...natMap } };
  const [node] = nodes;
  if (node === undefined) throw new Error('a description without a server');
  return { ...options, ...(natMap?.[`${node.host}:${node.port}`] ?? node) };
}

/** Lets go of a source after its last use. */
export function closeSource(source: string | TopologySource | Redis): void {
  if (source instanceof Cluster || source instanceof Redis) source.disconnect();
}
