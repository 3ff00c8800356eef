import { isObject } from '../objects/prototype.chain.js';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { faultOfAddress } from './address.reader.js';
import { faultOfClientOptions, type SourceFault } from './ioredis-option.checks.js';
import { faultOfNodeRedis, isOfNodeRedis, type NodeRedisSource } from './node-redis.source.js';

/**
 * A client of any copy or version of ioredis, or of a fork such as iovalkey: see {@link RedisSource}.
 */
export interface IoredisClient {
  /** The state of the connection, such as `ready`. */
  readonly status: string;
  /** Whether the client is a `Cluster`. */
  readonly isCluster: boolean;
  /** The options with which the client was created. */
  readonly options: object;
  /** Creates another client with the same options. */
  duplicate(...args: never[]): unknown;
  /** Closes the connection. The library never calls it on a client of the application. */
  disconnect(reconnect?: boolean): void;
}

/**
 * The address of Redis: a URL, `host:port`, ioredis options, a client or Cluster of ioredis or iovalkey, or a client or
 * cluster of the `redis` package; for Sentinel with the `redis` package, the options of its `createSentinel()`. The
 * library reads the options of a client, and creates connections with them. It sends no command on the client, and
 * never closes the client.
 */
export type RedisSource =
  | string
  | Installed<RedisOptions>
  | Installed<Redis>
  | Installed<Cluster>
  | IoredisClient
  | NodeRedisSource;

/** Without the package ioredis its types are `any`, which would accept everything. */
type Installed<T> = [0] extends [1 & T] ? never : T;

// After `readSource`: the type of a source shows which of the forms it has.
export type IoredisSource = string | RedisOptions | Redis | Cluster;

/** A source after {@link readSource}. */
export type KnownSource = IoredisSource | NodeRedisSource;

/**
 * Checks the source of a Redis, before a connection is made.
 * @param option its name, for messages
 * @throws LockConfigurationError `INVALID_OPTION` that names the given value, without its secrets, and the correction
 */
export function readSource(option: string, source: RedisSource): KnownSource {
  const fault = faultOf(source);
  if (fault === undefined) return source as KnownSource;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `The option "${option}" of DistributedLockModule must be a URL such as "redis://localhost:6379", ioredis options, or a client of ioredis or of the "redis" package, not ${fault.given}. ${fault.remedy}`,
  );
}

/** Structural, so that a client made by another copy of ioredis is accepted, too. */
export function isClient(source: unknown): source is Redis | Cluster {
  return (
    isObject(source) &&
    hasMethod(source, 'duplicate') &&
    'status' in source &&
    typeof source.status === 'string' &&
    'options' in source &&
    isObject(source.options)
  );
}

function faultOf(given: unknown): SourceFault | undefined {
  if (typeof given === 'string') return faultOfAddress(given);
  if (typeof given === 'function')
    return {
      given: /^class\b/.test(String(given)) ? 'a class' : 'a function',
      remedy: 'Give an instance; a factory goes into forRootAsync({ useFactory }).',
    };
  if (!isObject(given))
    return {
      given: given === null ? 'null' : typeof given,
      remedy: 'Check that the variable with the address is set.',
    };
  if (isClient(given)) return ofClient(given);
  if (isOfNodeRedis(given)) return faultOfNodeRedis(given);
  if (hasMethod(given, 'then'))
    return { given: 'a promise', remedy: 'Await it, in forRootAsync({ useFactory: async () => … }).' };
  if (Array.isArray(given))
    return {
      given: 'an array',
      remedy: 'Give a client for the nodes of a cluster: redis: new Cluster([{ host, port }]) of ioredis.',
    };
  return ofForeignClient(given) ?? ofOptions(given);
}

/** A client for reading from replicas has no use for locks. */
function ofClient({ options }: Redis | Cluster): SourceFault | undefined {
  if (!('role' in options) || options.role !== 'slave') return undefined;
  return {
    given: 'a client with the role "slave"',
    remedy: 'Give a client with the role "master": locks are written, and a replica refuses writes.',
  };
}

/** A client of another package. */
function ofForeignClient(given: object): SourceFault | undefined {
  if (!['sendCommand', 'duplicate', 'getClient', 'getOrThrow'].some((name) => hasMethod(given, name)))
    return undefined;
  return {
    given: `an object of the class ${classOf(given)}`,
    remedy:
      'Give the URL, or a client of ioredis or of the "redis" package: redis: new Redis("redis://localhost:6379").',
  };
}

function ofOptions(given: object): SourceFault | undefined {
  const fault = faultOfClientOptions(given);
  const name = classOf(given);
  if (fault === undefined || name === 'Object') return fault;
  return { ...fault, given: fault.given.replace('an object', `an object of the class ${name}`) };
}

function classOf(given: object): string {
  const made: unknown = given.constructor;
  return typeof made === 'function' && made.name !== '' ? made.name : 'Object';
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function';
}
