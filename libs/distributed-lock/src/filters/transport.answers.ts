/** Express's response, or Fastify's reply. */
export function isHttpResponse(response: unknown): response is object {
  return (
    typeof response === 'object' && response !== null && ('setHeader' in response || 'header' in response)
  );
}

/** What is used of a socket, by Socket.IO's name and by the WebSocket standard's. */
interface Socket {
  readonly readyState?: unknown;
  readonly send?: (text: string) => unknown;
  readonly emit?: (event: string, payload: object) => unknown;
}

/**
 * Tells the client as Nest's own filter does: an `exception` event. A native WebSocket, which has a numeric
 * `readyState`, also has an `emit`, but that one stays in the process.
 */
export function emitRefusal(socket: Socket, payload: object): void {
  if (typeof socket.readyState === 'number' && socket.send !== undefined) {
    socket.send(JSON.stringify({ event: 'exception', data: payload }));
  } else {
    socket.emit?.('exception', payload);
  }
}
