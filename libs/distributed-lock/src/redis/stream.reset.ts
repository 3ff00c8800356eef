import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Resets the TCP connection of a client that is given up. After a mere end the system would go on sending what the server has not received
 * yet, for minutes: Redis would run a command long after its caller was notified of the failure, and after its effect was undone.
 * Node resets no connection with TLS, and none that is not one of TCP.
 */
export function resetStream(client: object): void {
  const stream: unknown = Reflect.get(client, 'stream');
  if (!(stream instanceof Socket) || stream instanceof TLSSocket) return;
  if (stream.connecting || stream.destroyed || stream.remoteAddress === undefined) return;
  stream.resetAndDestroy();
}
