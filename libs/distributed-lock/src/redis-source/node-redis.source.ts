import { isObject } from '../objects/prototype.chain.js';
import type { SourceFault } from './ioredis-option.checks.js';

/** A client of the `redis` package (node-redis), made by `createClient()`: see {@link RedisSource}. */
export interface NodeRedisClient {
  /** Whether the client has been asked to connect. */
  readonly isOpen: boolean;
  /** Whether the client is connected. */
  readonly isReady: boolean;
  /** The options with which the client was created. */
  readonly options?: object | undefined;
  /** Creates another client with the same options. */
  duplicate(...args: never[]): unknown;
  /** Closes the connection. The library never calls it on a client of the application. */
  destroy(): void;
}

/** A cluster client of the `redis` package (node-redis), made by `createCluster()`: see {@link RedisSource}. */
export interface NodeRedisCluster {
  /** Whether the client has been asked to connect. */
  readonly isOpen: boolean;
  /** The masters that the client knows. */
  readonly masters: readonly object[];
  /** Creates another client with the same options. */
  duplicate(...args: never[]): unknown;
  /** Closes the connections. The library never calls it on a client of the application. */
  destroy(): void;
}

/** The address of a sentinel. */
export interface SentinelNode {
  /** Its host name or IP address. */
  readonly host: string;
  /** Its TCP port. */
  readonly port: number;
}

/**
 * The options of `createSentinel()` of the `redis` package (node-redis). The library cannot read them from a client
 * of `createSentinel()`: pass the options instead of the client.
 */
export interface NodeRedisSentinelOptions {
  /** The sentinels to ask for the master. */
  readonly sentinelRootNodes: readonly SentinelNode[];
  /** The name under which the sentinels know the master. */
  readonly name: string;
  /** Options of the connections to the master, such as `password` and `socket`. @default none */
  readonly nodeClientOptions?: object | undefined;
  /** Options of the connections to the sentinels. @default none */
  readonly sentinelClientOptions?: object | undefined;
  /** Replaces addresses that the sentinels report. @default none */
  readonly nodeAddressMap?: NodeAddressMap | undefined;
}

/**
 * Maps an address that servers or sentinels report, as `host:port`, to the address at which this process reaches that
 * server.
 */
export type NodeAddressMap =
  | Readonly<Record<string, SentinelNode>>
  | ((address: string) => SentinelNode | undefined);

/** A source of the `redis` package. */
export type NodeRedisSource = NodeRedisClient | NodeRedisCluster | NodeRedisSentinelOptions;

/** Whether a source is of the `redis` package, also of a version that cannot be used. Structural: the package may be another copy. */
export function isOfNodeRedis(given: unknown): given is NodeRedisSource {
  if (!isObject(given)) return false;
  if (isSentinelOptions(given)) return true;
  return (
    ('isOpen' in given || 'server_info' in given) &&
    hasMethod(given, 'duplicate', 'getSentinelNode', 'execute')
  );
}

/** Whether a source is a cluster client of the `redis` package. */
export function isNodeRedisCluster(given: NodeRedisSource): given is NodeRedisCluster {
  return 'masters' in given;
}

/** Whether a source is options of `createSentinel()`. */
export function isSentinelOptions(given: object): given is NodeRedisSentinelOptions {
  return 'sentinelRootNodes' in given && !hasMethod(given, 'duplicate');
}

/** @returns the fault of a source of the `redis` package; undefined for none */
export function faultOfNodeRedis(given: NodeRedisSource): SourceFault | undefined {
  if (isSentinelOptions(given)) return ofSentinelOptions(given);
  const name = 'a client of the "redis" package';
  if (hasMethod(given, 'getSentinelNode'))
    return {
      given: `${name} with sentinels, which does not show its options`,
      remedy:
        'Give the options that createSentinel() takes: redis: { sentinelRootNodes: [{ host, port }], name }.',
    };
  if (hasMethod(given, 'execute') && !('masters' in given) && !('options' in given))
    return { given: 'a pool of the "redis" package', remedy: 'Give a client: redis: createClient({ url }).' };
  // Version 5 was the first that has destroy().
  if (!hasMethod(given, 'destroy'))
    return {
      given: `${name} in a version before 5`,
      remedy: 'Update the package "redis" to version 5 or newer.',
    };
  return undefined;
}

function ofSentinelOptions({ sentinelRootNodes, name }: NodeRedisSentinelOptions): SourceFault | undefined {
  const remedy = 'Write { sentinelRootNodes: [{ host, port }], name: "mymaster" }.';
  const given: unknown = sentinelRootNodes;
  if (!Array.isArray(given) || given.length === 0)
    return { given: 'an object whose sentinelRootNodes are not an array', remedy };
  return name
    ? undefined
    : { given: 'an object with sentinels, but without the name of their master', remedy };
}

function hasMethod(value: object, ...names: readonly string[]): boolean {
  return names.some((name) => typeof Reflect.get(value, name) === 'function');
}
