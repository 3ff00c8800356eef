import { errorText } from '../errors/error.text.js';
import { replaceMethod } from './handshake.check.js';
import type { IoredisTrouble } from './ioredis.trouble.js';

/** The members in use of a connection to a sentinel. */
interface SentinelClient {
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

/** The address of a sentinel in the form of ioredis. */
interface SentinelPlace {
  readonly host?: string;
  readonly port?: number;
}

type Connect = (place: SentinelPlace, options?: object) => SentinelClient;

/**
 * Listens to the errors of the connections that ioredis makes to sentinels: those that look up the master fail with "Connection is closed." alone,
 * and the errors of those that report a failover would be printed by ioredis, since it adds no listener of its own.
 * @param away called for the errors of the latter
 */
export function watchSentinels(client: object, trouble: IoredisTrouble, away: (why: string) => void): void {
  const connector: unknown = Reflect.get(client, 'connector');
  if (typeof connector !== 'object' || connector === null) return;
  const connect: unknown = Reflect.get(connector, 'connectToSentinel');
  if (!isConnect(connect)) return;
  const watchedConnect: Connect = (place, options) => {
    const address = `${place.host}:${place.port}`;
    const sentinel = connect.call(connector, place, options);
    // Connections that look up the master are made without options of their own.
    const reportsFailover = options !== undefined;
    sentinel.on('error', (error) => {
      trouble.recordNode(error, address);
      if (reportsFailover) away(`${address}: ${errorText(error)}`);
    });
    if (reportsFailover) handleSubscriptions(sentinel);
    return sentinel;
  };
  Object.defineProperty(connector, 'connectToSentinel', {
    value: watchedConnect,
    configurable: true,
    writable: true,
  });
}

/** A connection that is made again subscribes again by itself, and ioredis leaves a failure of that unhandled, which would end the process. */
function handleSubscriptions(sentinel: object): void {
  replaceMethod(sentinel, 'subscribe', (subscribe, channels) => {
    const subscribed = subscribe(...channels);
    subscribed.catch(() => undefined);
    return subscribed;
  });
}

function isConnect(value: unknown): value is Connect {
  return typeof value === 'function';
}
