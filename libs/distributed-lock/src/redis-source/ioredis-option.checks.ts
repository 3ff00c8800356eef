import type { RedisOptions } from 'ioredis';
import { nearestName } from '../options/option.checks.js';
import { CLIENT_KEPT, CLIENT_OVERRIDES, type ValueKind } from './ioredis.options.js';

/** Why a value is no source of a Redis. */
export interface SourceFault {
  /** The given value, with its article; has no secret in it. */
  readonly given: string;
  /** The correction, as a sentence. */
  readonly remedy: string;
}

const KINDS = new Map<string, ValueKind>([
  ...Object.keys(CLIENT_OVERRIDES).map((name) => [name, 'anything'] as const),
  ...Object.entries(CLIENT_KEPT),
]);

const FITS: Readonly<Record<ValueKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  'a number': (value) => typeof value === 'number' && Number.isFinite(value),
  'true or false': (value) => typeof value === 'boolean',
  anything: () => true,
};

const PORT = {
  given: 'whose port is not a number from 1 to 65535',
  remedy: 'Give the port on which Redis listens: 6379.',
};

/** The options with the address of the server: without one of them ioredis connects to localhost:6379. */
const ADDRESS_OPTIONS = ['host', 'port', 'path', 'sentinels', 'Connector'];

/** The names of the address in other libraries, and their replacements. */
const FOREIGN: Readonly<Record<string, string>> = {
  url: 'Give the URL itself: redis: "redis://localhost:6379".',
  uri: 'Give the URL itself: redis: "redis://localhost:6379".',
  config: 'Give its contents: redis: { host, port }, or redis: "redis://localhost:6379".',
  connection: 'Give its contents: redis: { host, port }, or redis: "redis://localhost:6379".',
  options: 'Give its contents: redis: { host, port }, or redis: "redis://localhost:6379".',
  redis: 'Give its contents: redis: { host, port }, or redis: "redis://localhost:6379".',
  socket:
    'That is an option of the "redis" package. Write redis: { host, port }, or give a client: redis: createClient({ socket }).',
  database: 'Write db in its place.',
  client: 'Give the client itself.',
  nodes: 'Give a client for a cluster: redis: new Cluster([{ host, port }]) of ioredis.',
  rootNodes:
    'Give a client for a cluster: redis: createCluster({ rootNodes }) of the "redis" package, or new Cluster([{ host, port }]) of ioredis.',
  cluster: 'Give a client for a cluster: redis: new Cluster([{ host, port }]) of ioredis.',
  redisOptions:
    'Give a client for a cluster: redis: new Cluster([{ host, port }], { redisOptions }) of ioredis.',
};

/** @returns the fault of options for an ioredis client; undefined for none */
export function faultOfClientOptions(options: object): SourceFault | undefined {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const fault = faultOfEntries(given) ?? ofPlace(given) ?? ofSentinels(options);
  return fault && { ...fault, given: `an object ${fault.given}` };
}

/** The fault of one option of a URL, where all values are text. */
export function faultOfText(name: string, value: string): SourceFault | undefined {
  const fault = KINDS.has(name) ? faultOfValue(name, readText(name, value)) : strange(name);
  return fault && { ...fault, given: `a URL ${fault.given}` };
}

function faultOfEntries(given: readonly (readonly [string, unknown])[]): SourceFault | undefined {
  const stray =
    given.find(([name]) => FOREIGN[name] !== undefined) ?? given.find(([name]) => !KINDS.has(name));
  if (stray !== undefined) return strange(stray[0]);
  for (const [name, value] of given) {
    // A value from the environment is a text.
    const fault = faultOfValue(name, typeof value === 'string' ? readText(name, value) : value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function ofPlace(given: readonly (readonly [string, unknown])[]): SourceFault | undefined {
  if (given.some(([name, value]) => ADDRESS_OPTIONS.includes(name) && value !== null)) return undefined;
  return {
    given: 'without the address of Redis',
    remedy: 'Check that the variable with its host is set: { host: "localhost", port: 6379 }.',
  };
}

/** Converts numbers and flags of a URL's query, or from the environment, which are text: ioredis does not, and takes "false" for true. */
export function readTexts(options: RedisOptions): RedisOptions {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'string' ? readText(name, value) : value,
    ]),
  );
}

function readText(name: string, value: string): unknown {
  const kind = KINDS.get(name);
  if (kind === 'a number' && value.trim() !== '') return Number(value);
  if (kind === 'true or false' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** The fault of an option that ioredis does not have, and ignores. */
function strange(name: string): SourceFault {
  const meant = nearestName(name, KINDS.keys());
  // A name from a URL that was cut at the wrong place may be a part of a password.
  const shown = /^[A-Za-z]\w*$/.test(name) ? `"${name}"` : 'with an unusual name';
  const remedy =
    meant === undefined
      ? 'Remove it. Pass an option of a newer ioredis to your own client: redis: new Redis({ … }).'
      : `Write "${meant}".`;
  return {
    given: `with an option ${shown}, which ioredis does not have`,
    remedy: FOREIGN[name] ?? remedy,
  };
}

function faultOfValue(name: string, value: unknown): SourceFault | undefined {
  if (value === null) return undefined;
  if (name === 'port' || name === 'db') return ofNumeric(name, value);
  const kind = KINDS.get(name) ?? 'anything';
  if (!FITS[kind](value))
    return { given: `whose ${name} is not ${kind}`, remedy: `Give ${kind} as ${name}.` };
  if (name === 'role' && value !== 'master')
    return {
      given: `whose role is ${JSON.stringify(value)}`,
      remedy: 'Leave role out: locks are written, and a replica refuses writes.',
    };
  return name === 'host' ? ofHost(String(value)) : undefined;
}

/** The fault of a `port` or a `db`; ioredis accepts digits in a text there, too. */
function ofNumeric(name: string, value: unknown): SourceFault | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isWhole = typeof number === 'number' && Number.isSafeInteger(number);
  if (name === 'port') return isWhole && number >= 1 && number <= 65_535 ? undefined : PORT;
  return isWhole && number >= 0
    ? undefined
    : { given: 'whose db is not a whole number', remedy: 'Give the number of the database: db: 0.' };
}

function ofHost(host: string): SourceFault | undefined {
  if (host.trim() === '' || host === 'undefined' || host === 'null')
    return {
      given: `whose host is ${host.trim() === '' ? 'empty' : `"${host}"`}`,
      remedy: 'Check that the variable with its value is set.',
    };
  const remedy =
    'Give host and port separately, or a URL instead of the object: redis: "redis://localhost:6379".';
  if (host.includes('://')) return { given: 'whose host is a URL', remedy };
  return /^[^:]+:\d+$/.test(host) ? { given: 'whose host has a port in it', remedy } : undefined;
}

function ofSentinels({ sentinels, name }: RedisOptions): SourceFault | undefined {
  if (sentinels === undefined || sentinels === null) return undefined;
  const remedy = 'Write { sentinels: [{ host, port }], name: "mymaster" }.';
  if (!Array.isArray(sentinels) || sentinels.length === 0)
    return { given: 'whose sentinels are not an array', remedy };
  return name ? undefined : { given: 'with sentinels, but without the name of their master', remedy };
}
