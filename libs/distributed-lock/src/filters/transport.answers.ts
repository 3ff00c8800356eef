import type { ArgumentsHost } from '@nestjs/common';
import { LockNotAcquiredError, type LockUnavailableError } from '../errors/lock.errors.js';
import type { Refusal } from './refusal.reader.js';

/** Express's response, or Fastify's reply. */
export function isHttpResponse(response: unknown): response is object {
  return (
    typeof response === 'object' && response !== null && ('setHeader' in response || 'header' in response)
  );
}

/** A response of Node, without what an adapter adds to it: what Fastify gives to middleware. */
export interface PlainResponse {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

export function isPlain(response: object): response is PlainResponse {
  return 'setHeader' in response && !('status' in response) && !('code' in response);
}

/** Sends what the adapter would: not every adapter can, to such a response. One that has begun is ended. */
export function sendPlain(
  response: PlainResponse,
  { retryAfter, body }: { readonly retryAfter: string; readonly body: { readonly statusCode: number } },
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.statusCode = body.statusCode;
  response.setHeader('Retry-After', retryAfter);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}

/** The used part of a socket, by Socket.IO's name and by the WebSocket standard's. */
interface Socket {
  readonly readyState?: unknown;
  readonly send?: (text: string) => unknown;
  readonly emit?: (event: string, payload: object) => unknown;
}

/**
 * Notifies the client as Nest's own filter does: with an `exception` event. A native WebSocket, which has a numeric `readyState`, also has an
 * `emit`, but that one stays in the process.
 */
export function emitRefusal(socket: Socket, payload: object): void {
  if (typeof socket.readyState === 'number' && socket.send !== undefined) {
    socket.send(JSON.stringify({ event: 'exception', data: payload }));
  } else {
    socket.emit?.('exception', payload);
  }
}

/** The gRPC statuses in place of HTTP's 423 and 503: the call may be made again, and the server cannot serve it now. */
const ABORTED = 10;
const UNAVAILABLE = 14;

/** The error of a microservice's handler: Nest sends it as it is, and gRPC reads a status from it. */
export function describeRpcRefusal(
  error: LockNotAcquiredError | LockUnavailableError,
  refusal: Refusal,
  host: ArgumentsHost,
): object {
  if (!isGrpc(host)) return { status: 'error', ...refusal };
  const code = error instanceof LockNotAcquiredError ? ABORTED : UNAVAILABLE;
  return { code, message: refusal.message };
}

/** Whether the sender called a method of gRPC, which has no events: every call is answered. */
export function isGrpc(host: ArgumentsHost): boolean {
  const args: readonly unknown[] = host.getArgs();
  return args.some(isGrpcCall);
}

/** By its functions: the package of gRPC is not ours to import. */
function isGrpcCall(argument: unknown): boolean {
  const call: { readonly sendMetadata?: unknown; readonly getPath?: unknown } = Object(argument);
  return typeof call.sendMetadata === 'function' && typeof call.getPath === 'function';
}
