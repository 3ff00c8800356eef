import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resetStream } from './stream.reset.js';

/** A connection: the client's end, and the server's. */
async function connection(path?: string): Promise<{ stream: Socket; accepted: Socket }> {
  const server = createServer();
  server.listen(path ?? { port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const stream =
    path === undefined ? connect((server.address() as AddressInfo).port, '127.0.0.1') : connect(path);
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(stream, 'connect')]);
  onTestFinished(() => {
    stream.destroy();
    accepted.destroy();
  });
  return { stream, accepted };
}

describe('the reset of a connection that is given up', () => {
  test('is what the server reads, and no end', async () => {
    const { stream, accepted } = await connection();
    const failed = once(accepted, 'error');
    accepted.resume();
    resetStream({ stream });
    const [error] = await failed;
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(stream.destroyed).toBe(true);
  });

  test('leaves a connection alone that is none of TCP', async () => {
    const { stream } = await connection(join(tmpdir(), `reset-${process.pid}.sock`));
    resetStream({ stream });
    expect(stream.destroyed).toBe(false);
  });

  test.each([
    ['has no socket yet', {}],
    ['has one that is not connected', { stream: new Socket() }],
  ])('leaves a client alone that %s', (_, client) => {
    expect(() => resetStream(client)).not.toThrow();
  });
});
