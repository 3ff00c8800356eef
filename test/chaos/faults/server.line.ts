import { Redis } from 'ioredis';

/** How long a server may take to answer, in ms. */
const PATIENCE = 2000;

/** Sends one command to the Redis on a loopback port, on a connection of its own: it is not in the way of any fault. */
export async function sendTo(port: number, ...[command = 'PING', ...words]: string[]): Promise<unknown> {
  const line = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: PATIENCE,
    commandTimeout: PATIENCE,
  });
  // What goes wrong is told by the command.
  line.on('error', () => undefined);
  try {
    await line.connect();
    return await line.call(command, ...words);
  } finally {
    line.disconnect();
  }
}

/** One field of INFO; empty where there is none. */
export async function infoOf(port: number, section: string, field: string): Promise<string> {
  const text = String(await sendTo(port, 'INFO', section));
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
}
