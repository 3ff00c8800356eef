import { setMaxListeners } from 'node:events';
import type { RedisOptions } from 'ioredis';

/**
 * A signal that never aborts. Node adds a listener for errors to a socket with a signal, and the listener stays until the socket is
 * closed.
 */
const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/**
 * Completes the TLS options of a client, so that no error of a TLS socket ends the process.
 *
 * A TLS socket can report two errors: first that the certificate of the server is refused, then an alert that the server had sent
 * meanwhile. ioredis listens to one error of each socket, and a second one would be an uncaught exception. The options reach every
 * socket, also those that ioredis opens to sentinels, or for the subscriber of a cluster.
 */
export function tlsOf({ tls, sentinelTLS }: RedisOptions): Pick<RedisOptions, 'tls' | 'sentinelTLS'> {
  return {
    ...(tls && { tls: withListener(tls) }),
    ...(sentinelTLS && { sentinelTLS: withListener(sentinelTLS) }),
  };
}

/** @param tls may also be `true`, from a URL, or the name of a profile of ioredis */
function withListener(tls: unknown): NonNullable<RedisOptions['tls']> {
  const given: NonNullable<RedisOptions['tls']> = Object(typeof tls === 'string' ? { profile: tls } : tls);
  // Node passes what it does not know of TLS on to the socket; the types do not say so.
  const completed = { signal: NEVER, ...given };
  return completed;
}
