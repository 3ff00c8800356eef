import type { ConnectionTrouble } from '../redis/connection.trouble.js';
import { errorText } from '../errors/error.text.js';

/** What is used of a connection to a sentinel. */
interface SentinelClient {
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

/** Where a sentinel is, as ioredis has it. */
interface SentinelPlace {
  readonly host?: string;
  readonly port?: number;
}

type Connect = (place: SentinelPlace, options?: object) => SentinelClient;

/**
 * Hears the connections that ioredis makes to sentinels: by those that it asks for the master it rejects with "Connection is closed." alone, and
 * what goes wrong with those that tell of a failover it prints, since nobody else listens.
 * @param away called for the latter
 */
export function watchSentinels(
  client: object,
  trouble: ConnectionTrouble,
  away: (why: string) => void,
): void {
  const connector: unknown = Reflect.get(client, 'connector');
  if (typeof connector !== 'object' || connector === null) return;
  const connect: unknown = Reflect.get(connector, 'connectToSentinel');
  if (!isConnect(connect)) return;
  const value: Connect = (place, options) => {
    const address = `${place.host}:${place.port}`;
    const sentinel = connect.call(connector, place, options);
    sentinel.on('error', (error) => {
      trouble.recordNode(error, address);
      // Those that are only asked are made without options of their own.
      if (options !== undefined) away(`${address}: ${errorText(error)}`);
    });
    return sentinel;
  };
  Object.defineProperty(connector, 'connectToSentinel', { value, configurable: true, writable: true });
}

function isConnect(value: unknown): value is Connect {
  return typeof value === 'function';
}
