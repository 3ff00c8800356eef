import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { connectorOf, DirectConnector } from './direct.connector.js';

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** A server that answers whatever it is asked with `answer`, in pieces of so many bytes. */
async function listening(answer: string, piece: number, where: string | [number, string]): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => socket.on('data', () => void reply(socket)));
  const reply = async (socket: Socket) => {
    const bytes = Buffer.from(answer);
    for (let from = 0; from < bytes.length; from += piece) {
      socket.write(bytes.subarray(from, from + piece));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  if (typeof where === 'string') server.listen(where);
  else server.listen(...where);
  await once(server, 'listening');
  open.push(server);
  return server;
}

function client(options: RedisOptions): Redis {
  const { replyMapping: _, ...rest } = options;
  const redis = new Redis({
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    retryStrategy: () => null,
    ...rest,
    Connector: DirectConnector,
  });
  redis.on('error', () => undefined);
  open.push({ close: () => redis.disconnect() });
  return redis;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('a socket that reads into one buffer', () => {
  test.each([1, 2, 7, 1000])('reads an answer that comes in pieces of %i bytes', async (piece) => {
    const server = await listening('*2\r\n$6\r\nhällo\r\n:12\r\n', piece, [0, '127.0.0.1']);
    const redis = client({ host: '127.0.0.1', port: portOf(server) });
    expect(await redis.call('ANYTHING')).toEqual(['hällo', 12]);
    expect(await redis.call('ANYTHING')).toEqual(['hällo', 12]);
  });

  test('keeps the beginning of an answer that is longer than the buffer', async () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `${index}`).join(' ');
    const server = await listening(`$${text.length}\r\n${text}\r\n`, 50_000, [0, '127.0.0.1']);
    const redis = client({ host: '127.0.0.1', port: portOf(server) });
    expect(await redis.call('ANYTHING')).toBe(text);
  });

  test('finds the address of a name that listens', async () => {
    const server = await listening('+OK\r\n', 100, [0, '127.0.0.1']);
    expect(await client({ host: 'localhost', port: portOf(server) }).call('ANYTHING')).toBe('OK');
  });

  test('finds a socket in the file system', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'direct-'));
    open.push({ close: () => void rm(folder, { recursive: true }) });
    await listening('+OK\r\n', 100, join(folder, 'redis.sock'));
    expect(await client({ path: join(folder, 'redis.sock') }).call('ANYTHING')).toBe('OK');
  });

  test.each([
    [true, ''],
    [{ servername: 'redis.test' }, 'redis.test'],
  ])('speaks TLS where its own options say so: %j', async (tls, name) => {
    const heard: Buffer[] = [];
    const server = createServer((socket) => socket.on('data', (data) => heard.push(data) && socket.end()));
    open.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const options = { host: '127.0.0.1', port: portOf(server), tls };
    // As ioredis has it by a URL, which its types do not know.
    const redis = client(Object.assign(Object.create(null), options));
    await new Promise((end) => redis.once('end', () => end(undefined)));
    // The first byte of a handshake.
    expect(heard[0]?.[0]).toBe(22);
    expect(String(heard[0])).toContain(name);
  });

  test('reports the end of the connection', async () => {
    const server = createServer((socket) => socket.end());
    open.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const redis = client({ host: '127.0.0.1', port: portOf(server) });
    await once(redis, 'end');
    await expect(redis.call('ANYTHING')).rejects.toThrow('Connection is closed');
  });

  test('reports why there is no connection', async () => {
    const server = await listening('', 1, [0, '127.0.0.1']);
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    const redis = client({ host: '127.0.0.1', port, lazyConnect: true });
    const [error] = await Promise.all([once(redis, 'error'), redis.connect().catch(() => undefined)]);
    expect(String(error)).toContain('ECONNREFUSED');
  });

  test('makes no connection for a client that has left already', async () => {
    let connections = 0;
    const server = await listening('+OK\r\n', 100, [0, '127.0.0.1']);
    server.on('connection', () => (connections += 1));
    const connector = new DirectConnector({ host: '127.0.0.1', port: portOf(server) });
    const connecting = connector.connect();
    connector.disconnect();
    await expect(connecting).rejects.toThrow('Connection is closed');
    await client({ host: '127.0.0.1', port: portOf(server) }).call('ANYTHING');
    expect(connections).toBe(1);
  });
});

test.each<[string, RedisOptions, boolean]>([
  ['host and port', { host: 'a', port: 1 }, true],
  ['a path', { path: '/a' }, true],
  ['TLS', { tls: {} }, false],
  ['sentinels', { sentinels: [] }, false],
  ['a connector of the application', { Connector: DirectConnector }, false],
])('is used or not with %s', (_what, options, isUsed) => {
  expect(connectorOf(options)).toEqual(isUsed ? { Connector: DirectConnector } : {});
});
