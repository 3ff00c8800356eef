import type { Purpose } from '../client-port/open.client.js';
import type { RawOptions, RawSocketOptions } from './raw.client.js';

/**
 * Options that the library sets on each client that it makes, regardless of the source: a client of the `redis` package is used for one
 * connection. It never queues a command, and with its connection end its commands and its subscriptions.
 */
export const NODE_REDIS_OVERRIDES = {
  disableOfflineQueue: true,
  // The address is in the options of the socket.
  url: undefined,
  // They would change replies, or reject commands before their outcome is known: version 6 has a timeout by default.
  commandOptions: { timeout: undefined },
  commandsQueueMaxLength: undefined,
  // The library sends its own pings.
  pingInterval: undefined,
  readonly: false,
  // It is put before lock names instead, so that channels have it as well.
  keyPrefix: undefined,
  // Nothing that the library reads may come from a cache.
  clientSideCache: undefined,
  emitInvalidate: false,
  // The template would share it.
  himportRegistry: undefined,
  // During a maintenance the client would hold commands back, and write them on another connection.
  maintNotifications: 'disabled',
} as const;

/** The options of a client's socket that the library sets. */
const SOCKET_OVERRIDES = {
  // The library gives up the client with its connection, and makes another one.
  reconnectStrategy: () => 0,
  // It would break a connection that waits for an answer.
  socketTimeout: undefined,
} as const;

/** Where a client connects to, instead of the address of its options. */
export type Address = Readonly<Pick<RawSocketOptions, 'host' | 'port'>>;

/** What is special about one client. */
interface ClientSettings {
  readonly purpose: Purpose;
  /** @default that of the options */
  readonly address?: Address | undefined;
  /** Closes its socket, in whatever state it is. */
  readonly signal: AbortSignal;
}

/** The options of a client of the library, by those of the source. */
export function settingsOf(
  { name, socket, ...options }: RawOptions,
  { purpose, address, signal }: ClientSettings,
): RawOptions {
  const { path, ...rest } = socket ?? {};
  const place = address ?? (path === undefined ? {} : { path });
  return {
    ...options,
    ...NODE_REDIS_OVERRIDES,
    name: `${name ?? 'distributed-lock'}:${purpose}`,
    // Node listens to the errors of a socket with a signal as long as it lives: a TLS socket can report a second one.
    socket: Object.assign({}, rest, place, SOCKET_OVERRIDES, { signal }),
  };
}

/** An address for messages, which never has a password. */
export function addressOf({ socket: { host = 'localhost', port = 6379, path } = {} }: RawOptions): string {
  return path ?? `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
