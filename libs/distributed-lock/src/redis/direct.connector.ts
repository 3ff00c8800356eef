import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { AbstractConnector, type RedisOptions } from 'ioredis';

/** More than most answers have; a longer one comes in pieces. */
const BUFFER_BYTES = 65_536;

/**
 * Connects as ioredis does, by a socket that reads into one buffer which stays (`onread` of `net.connect`): a stream makes 64 KB anew for
 * each read, and gives back what an answer did not fill. Of a caller's round trip to a Redis nearby that is a twentieth.
 */
export class DirectConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  /** @param options those of the client, as ioredis has completed them */
  constructor(options: unknown) {
    const known: RedisOptions = Object(options);
    super(known.disconnectTimeout ?? 0);
    this.#options = known;
  }

  async connect(): Promise<Socket> {
    this.connecting = true;
    // Whoever has called goes on first, and may disconnect.
    await new Promise((resolve) => process.nextTick(resolve));
    if (!this.connecting) throw new Error('Connection is closed.');
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const socket: Socket = createConnection({
      ...placeOf(this.#options),
      // Copied, since the client keeps what it has not read to its end.
      onread: { buffer, callback: (bytes) => hear(socket, Buffer.from(buffer.subarray(0, bytes))) },
    });
    this.stream = socket;
    socket.once('error', (error) => {
      this.firstError = error;
    });
    return socket;
  }
}

/** Whether ioredis would connect by a socket of its own with nothing around it. */
export function isPlain({ tls, sentinels, Connector }: RedisOptions): boolean {
  return !tls && !sentinels && !Connector;
}

function placeOf({ path, host, port, family }: RedisOptions): NetConnectOpts {
  return path ? { path } : { port: port ?? 6379, host, family };
}

/** @returns whether to go on reading */
function hear(socket: Socket, data: Buffer): boolean {
  socket.emit('data', data);
  return true;
}
