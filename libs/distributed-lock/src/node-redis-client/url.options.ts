import { LockConfigurationError } from '../errors/lock.errors.js';
import { urlOf } from '../redis-source/address.reader.js';
import type { RawOptions, RawSocketOptions } from './raw.client.js';

/** The options of a URL's query, and what becomes of each. */
const QUERY: Readonly<Record<string, (value: string) => object>> = {
  connectionName: (name) => ({ name }),
  connectTimeout: (value) => ({ socket: { connectTimeout: Number(value) } }),
  db: (value) => ({ database: Number(value) }),
  lazyConnect: () => ({}),
  path: (path) => ({ socket: { path } }),
  protocol: (value) => ({ RESP: Number(value) }),
};

/** The options of a client, by the address that was given for it. */
export interface UrlOptions {
  readonly options: RawOptions & { readonly database?: number };
  /** Whether the application may start without a connection. */
  readonly lazy: boolean;
}

/**
 * Reads an address that was checked: a URL, `host`, `host:port`, a port, or the path of a socket. The `redis` package itself reads no query.
 * @param option its name, for messages
 * @throws LockConfigurationError `INVALID_OPTION` for an option in the query that there is no counterpart for
 */
export function optionsOfUrl(text: string, option: string): UrlOptions {
  if (/^\d+$/.test(text)) return { options: { socket: { port: Number(text) } }, lazy: false };
  const url = urlOf(text);
  // The path of a socket, which may have a query, too.
  const [path, query = ''] = text.split('?');
  const place = url === undefined ? { socket: { path } } : optionsOf(url);
  const parameters = url?.searchParams ?? new URLSearchParams(query);
  const options = [...parameters].reduce<RawOptions>(
    (all, [name, value]) => merge(all, readOption(option, name, value)),
    place,
  );
  return { options, lazy: parameters.get('lazyConnect') === 'true' };
}

/** The options of the cluster that the address of one of its nodes leads to. Credentials and TLS are the same for all nodes. */
export function clusterOptionsOf({ socket, ...login }: RawOptions): object {
  const { host = 'localhost', port = 6379, tls } = socket ?? {};
  const shared = tls === true ? { tls } : {};
  return {
    rootNodes: [{ socket: { ...shared, host, port } }],
    defaults: { ...login, database: undefined, socket: shared },
  };
}

function optionsOf({ hostname, port, protocol, username, password, pathname }: URL): RawOptions {
  const database = Number(pathname.replaceAll('/', ''));
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket: RawSocketOptions = {
    ...(host !== '' && { host }),
    ...(port !== '' && { port: Number(port) }),
    ...(protocol === 'rediss:' && { tls: true }),
  };
  return Object.assign(
    { socket },
    username !== '' && { username: decodeURIComponent(username) },
    password !== '' && { password: decodeURIComponent(password) },
    database > 0 && { database },
  );
}

function readOption(option: string, name: string, value: string): RawOptions {
  const read = QUERY[name];
  if (read !== undefined) return read(value);
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `The URL in the option "${option}" has the option "${name}", which has no counterpart in the package "redis".`,
    undefined,
    undefined,
    'Remove it, or give a client: redis: createClient({ … }).',
  );
}

function merge(one: RawOptions, other: RawOptions): RawOptions {
  return { ...one, ...other, socket: { ...one.socket, ...other.socket } };
}
