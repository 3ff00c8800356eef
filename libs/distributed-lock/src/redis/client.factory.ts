import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { connectorOf } from './direct.connector.js';

/** Where Redis is: a URL, ioredis options, or a client of the user's, which serves as a template and is never used or closed. */
export type RedisSource = string | RedisOptions | Redis | Cluster;

/** A client of ours. */
export type Client = Redis | Cluster;

/** What a client is for. */
type Purpose = 'commands' | 'subscriber';

/** What is read from the source once. */
export interface Template {
  readonly isCluster: boolean;
  /** ioredis puts it before keys but not before channels; the library puts it before lock names instead. */
  readonly keyPrefix: string;
  /** Whether the user asked ioredis not to connect before the first command. */
  readonly lazy: boolean;
  /** For messages; never has a password. */
  readonly address: string;
  readonly create: (purpose: Purpose) => Client;
  /** What one more client of a cluster's node has beside the node's own options. */
  readonly nodeOptions: (purpose: Purpose) => RedisOptions;
  /** Whether a failover by sentinels may go unnoticed: then a master that was replaced can still take writes for seconds. */
  readonly missesFailover: boolean;
}

/**
 * Lock commands are never sent twice and never queued behind our back: what happens to a command that got no answer
 * is decided by the library, which knows how to make it safe.
 */
const OURS = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  enableOfflineQueue: false,
  enableReadyCheck: true,
  enableAutoPipelining: false,
  keyPrefix: '',
  lazyConnect: true,
  readOnly: false,
  stringNumbers: false,
  // The first one comes soon: a cut wire is more frequent than a server that is gone.
  retryStrategy: (attempt: number) =>
    Math.min(20 * 2 ** Math.min(attempt - 1, 6), 500) * (0.8 + 0.2 * Math.random()),
  // ioredis would wait for the server's own estimate, up to 10 s, before it asks a loading Redis again.
  maxLoadingRetryTime: 200,
  // Whoever closes a connection that gives no sign of life must not wait for its farewell.
  disconnectTimeout: 100,
} satisfies RedisOptions;

/** Reads the source without sending anything on it. */
export function readTemplate(source: RedisSource): Template {
  if (typeof source === 'string') return ofUrl(source);
  if (isClient(source))
    return source instanceof Cluster || ('isCluster' in source && source.isCluster)
      ? ofCluster(source as Cluster)
      : ofRedis(source as Redis);
  const { replyMapping: _, ...options } = source;
  return template(
    (purpose) =>
      new Redis(
        ours({
          ...options,
          ...connectorOf(options),
          connectionName: nameOf(purpose, options.connectionName),
        }),
      ),
    false,
    source,
    addressOf(source),
  );
}

/** To ioredis what a URL says in its query goes before options, so its options are read first, and given like a client's. */
function ofUrl(url: string): Template {
  const reader = readUrl(url);
  reader.disconnect();
  // A query is text; anything but our own `true` stands in the URL.
  const said: unknown = reader.options.lazyConnect;
  return { ...ofRedis(reader), lazy: said === 'true', address: withoutPassword(url) };
}

function readUrl(url: string): Redis {
  try {
    if (hasLostPassword(url)) throw new TypeError('its password is no part of it');
    return new Redis(url, { lazyConnect: true });
  } catch {
    // The error that is caught here has the whole URL, with its password.
    throw new LockConfigurationError(
      'INVALID_OPTION',
      'redis must be a URL like "redis://user:password@host:6379/0", with what is special in the password percent-encoded, and what was given cannot be read as one.',
    );
  }
}

/** With a slash too few, or a # or / in the password, the password is read as a path: it would be in every message of ioredis. */
function hasLostPassword(url: string): boolean {
  if (!URL.canParse(url) || /^\w+:\/\/\//.test(url)) return false;
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`.includes('@');
}

/** Timeouts of the template would reject commands before we know what became of them. */
function ours<T extends RedisOptions>(options: T): T & typeof OURS {
  return { ...options, ...OURS, commandTimeout: undefined, socketTimeout: undefined };
}

function ofRedis(client: Redis): Template {
  const { options } = client;
  return template(
    (purpose) =>
      client.duplicate(
        ours({ ...connectorOf(options), connectionName: nameOf(purpose, options.connectionName) }),
      ),
    false,
    options,
    addressOf(options),
  );
}

function ofCluster(cluster: Cluster): Template {
  const { options } = cluster;
  const create: Template['create'] = (purpose) => {
    const { replyMapping: _, ...redisOptions } = { ...options.redisOptions };
    const connectionName = nameOf(purpose, redisOptions.connectionName);
    const override = {
      enableOfflineQueue: false,
      enableAutoPipelining: false,
      lazyConnect: true,
      keyPrefix: '',
      scaleReads: 'master' as const,
      retryDelayOnFailover: 0,
      // It would ask any node, also one that is gone; whoever waits for a lock asks again by itself.
      retryDelayOnClusterDown: 0,
      clusterRetryStrategy: OURS.retryStrategy,
      redisOptions: ours({ ...redisOptions, ...connectorOf(redisOptions), connectionName }),
    };
    return cluster.duplicate([], override);
  };
  return template(
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

function template(
  create: Template['create'],
  isCluster: boolean,
  options: RedisOptions,
  address: string,
): Template {
  return {
    create,
    isCluster,
    address,
    // It connects as the node's client does.
    nodeOptions: (purpose) => ours({ connectionName: nameOf(purpose, options.connectionName) }),
    missesFailover: hasSentinels(options) && options.failoverDetector !== true,
    keyPrefix: options.keyPrefix ?? '',
    lazy: options.lazyConnect ?? false,
  };
}

/** Structural, so that a client made by another copy of ioredis is one, too. */
function isClient(source: RedisOptions | Redis | Cluster): source is Redis | Cluster {
  return 'duplicate' in source && typeof source.duplicate === 'function';
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
  return path ?? `${host ?? 'localhost'}:${port ?? 6379}`;
}

function withoutPassword(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return host === '' ? pathname : host;
  } catch {
    return url.replace(/^.*@/, '');
  }
}
