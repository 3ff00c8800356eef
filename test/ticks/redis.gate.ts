import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to Redis that can be cut: what is under way is lost, and nobody gets through until it is opened again. */
export class RedisGate {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isOpen = true;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      if (!this.#isOpen) {
        client.destroy();
        return;
      }
      const redis = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [client, redis],
        [redis, client],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => undefined);
        one.once('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  /** @param port of the Redis behind it */
  static async open(port: number): Promise<RedisGate> {
    const gate = new RedisGate(port);
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    return gate;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the gate is gone');
    return `redis://127.0.0.1:${address.port}`;
  }

  shut(): void {
    this.#isOpen = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  reopen(): void {
    this.#isOpen = true;
  }

  async remove(): Promise<void> {
    this.shut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
