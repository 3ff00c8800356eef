import { Cluster, Redis, type ClusterNode, type RedisOptions } from 'ioredis';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { Purpose } from '../client-port/open.client.js';
import { readTexts } from '../redis-source/ioredis-option.checks.js';
import { CLIENT_OVERRIDES, CLUSTER_OVERRIDES } from '../redis-source/ioredis.options.js';
import { isClient, type IoredisSource } from '../redis-source/redis-source.reader.js';
import { connectorOf } from './direct.connector.js';
import { tlsOf } from './tls.options.js';

/** How long one sentinel may take to answer, in ms: ioredis waits for it without end, and asks no other one meanwhile. */
const SENTINEL_TIMEOUT = 1000;

/** A client of the library. */
export type Client = Redis | Cluster;

/** How clients of ioredis are made from a source. */
export interface ClientFactory {
  readonly isCluster: boolean;
  /** ioredis puts it before keys but not before channels; the library puts it before lock names instead. */
  readonly keyPrefix: string;
  /** Whether the user asked ioredis not to connect before the first command. */
  readonly lazy: boolean;
  /** For messages; never has a password. */
  readonly address: string;
  readonly create: (purpose: Purpose) => Client;
  /** Additional options of one more client of a cluster's node, beside the node's own options. */
  readonly nodeOptions: (purpose: Purpose) => RedisOptions;
  /** Whether the application itself demands RESP3; a client of version 6 of ioredis uses it by default. */
  readonly resp3: boolean;
  /** Whether a failover by sentinels may go unnoticed: then a replaced master can still take writes for seconds. */
  readonly missesFailover: boolean;
}

/**
 * Reads a source that was checked, without sending anything on it.
 * @throws LockConfigurationError `INVALID_OPTION` for a client whose `duplicate()` is not that of ioredis
 */
export function readFactory(given: IoredisSource): ClientFactory {
  if (typeof given === 'string') return ofUrl(given);
  if (isClient(given))
    return given instanceof Cluster || ('isCluster' in given && given.isCluster)
      ? ofCluster(given as Cluster)
      : ofRedis(given as Redis);
  const options = readTexts(given);
  const made = factory(
    (purpose) =>
      new Redis(
        ours({
          ...options,
          ...connectionOf(options, purpose),
        }),
      ),
    false,
    options,
    addressOf(options),
  );
  return { ...made, resp3: 'protocol' in given && given.protocol === 3 };
}

/** In ioredis the query of a URL takes precedence over options, so the query's options are read first, and given like a client's. */
function ofUrl(url: string): ClientFactory {
  const reader = new Redis(url, { lazyConnect: true });
  reader.disconnect();
  // A query is text; any value but our own `true` comes from the URL.
  const said: unknown = reader.options.lazyConnect;
  Object.assign(reader.options, readTexts(reader.options));
  return { ...ofRedis(reader), lazy: said === 'true' };
}

function ours<T extends RedisOptions>(options: T): T & typeof CLIENT_OVERRIDES {
  return { ...options, ...CLIENT_OVERRIDES };
}

function ofRedis(client: Redis): ClientFactory {
  const { options } = client;
  return factory(
    (purpose) => copyOf(client, client.duplicate(ours(connectionOf(options, purpose)))),
    false,
    options,
    addressOf(options),
  );
}

function ofCluster(cluster: Cluster): ClientFactory {
  const { options } = cluster;
  const create: ClientFactory['create'] = (purpose) => {
    const { redisOptions = {} } = options;
    const override = {
      ...CLUSTER_OVERRIDES,
      redisOptions: ours({
        ...redisOptions,
        ...connectionOf(redisOptions, purpose),
      }),
    };
    return copyOf(cluster, cluster.duplicate(startupNodesOf(cluster), override));
  };
  return factory(
    create,
    true,
    {
      ...options.redisOptions,
      keyPrefix: options.keyPrefix ?? options.redisOptions?.keyPrefix ?? '',
      lazyConnect: options.lazyConnect ?? false,
    },
    'the cluster',
  );
}

/** In ioredis the options of a startup node take precedence over those of the cluster: the library's own must not be overridden by them. */
function startupNodesOf(cluster: Cluster): ClusterNode[] {
  const nodes: readonly unknown[] = Object(Reflect.get(cluster, 'startupNodes') ?? []);
  return nodes.map((node) =>
    typeof node === 'object' && node !== null ? nodeOf(node) : (node as ClusterNode),
  );
}

function nodeOf(options: RedisOptions): RedisOptions {
  const kept = Object.entries(options).filter(([name]) => !(name in CLIENT_OVERRIDES));
  return { ...Object.fromEntries(kept), ...tlsOf(options) };
}

/**
 * The `duplicate()` of a subclass or of a patched client may ignore its arguments: its client would connect by itself, queue
 * commands, or be the application's own.
 */
function copyOf<T extends Client>(client: T, copy: T): T {
  const given: unknown = copy;
  if (
    isClient(given) &&
    given !== client &&
    given.status === 'wait' &&
    given.options.enableOfflineQueue === false
  )
    return copy;
  if (isClient(given) && given !== client) given.disconnect();
  throw new LockConfigurationError(
    'INVALID_OPTION',
    'The duplicate() of the client in "redis" does not return a new client with the options { ...this.options, ...override }. Give a URL, ioredis options, or a client with the duplicate() of ioredis.',
  );
}

function factory(
  create: ClientFactory['create'],
  isCluster: boolean,
  options: RedisOptions,
  address: string,
): ClientFactory {
  return {
    create,
    isCluster,
    address,
    // It connects as the node's client does.
    nodeOptions: (purpose) => ours({ connectionName: nameOf(purpose, options.connectionName) }),
    resp3: false,
    missesFailover: hasSentinels(options) && options.failoverDetector !== true,
    keyPrefix: options.keyPrefix ?? '',
    lazy: options.lazyConnect ?? false,
  };
}

/** Options of a connection that follow from those of the source. */
function connectionOf(options: RedisOptions, purpose: Purpose): RedisOptions {
  const connectionName = nameOf(purpose, options.connectionName);
  const { sentinelCommandTimeout = SENTINEL_TIMEOUT } = options;
  return {
    ...connectorOf(options),
    ...tlsOf(options),
    ...(hasSentinels(options) && { sentinelCommandTimeout }),
    connectionName,
  };
}

function nameOf(purpose: string, name: string | null | undefined): string {
  return `${name ?? 'distributed-lock'}:${purpose}`;
}

function hasSentinels({ sentinels }: RedisOptions): boolean {
  return sentinels !== undefined && sentinels !== null;
}

function addressOf({ host, port, path, sentinels, name }: RedisOptions): string {
  if (sentinels !== undefined && sentinels !== null)
    return `the master "${name ?? ''}" of ${sentinels.length} sentinels`;
  const place = host ?? 'localhost';
  return path ?? `${place.includes(':') ? `[${place}]` : place}:${port ?? 6379}`;
}
