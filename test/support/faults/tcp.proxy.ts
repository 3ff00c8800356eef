import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { ProxyLink, type Judge } from './proxy.link.js';

/** What becomes of connections from now on. */
type Mode = 'open' | 'refusing' | 'black-hole';

/** The way to a Redis, in the hand of a test: it can be cut, delayed, or swallow everything. */
export class TcpProxy {
  /** Connections that died by our hand while a client used them. */
  cuts = 0;
  /** Connections that a client has made so far. */
  accepted = 0;
  readonly #server: Server;
  readonly #links = new Set<ProxyLink>();
  #mode: Mode = 'open';
  #judge: Judge = () => 'pass';

  /** @param port of the Redis behind it, for connections from now on */
  private constructor(public port: number) {
    // A network that swallows a FIN does not answer it: the other half stays open until it is closed by us.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  static async open(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is gone');
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Connections that a client has open. */
  get connections(): number {
    return this.#links.size;
  }

  /** Says what becomes of each command from now on, on old connections and new ones. */
  judge(judge: Judge): void {
    this.#judge = judge;
  }

  /** Cuts every connection; new ones get through. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Cuts every connection, and refuses new ones: nobody is there. */
  refuse(): void {
    this.#mode = 'refusing';
    this.cut();
  }

  /** Nothing passes any more, on old connections or new ones, and nobody is told. */
  blackHole(): void {
    this.#mode = 'black-hole';
    for (const link of this.#links) link.swallow();
  }

  /** As after a NAT forgot its connections: Redis' side is closed, the client's side is open and silent. New ones get through. */
  halfOpen(): void {
    for (const link of this.#links) {
      link.swallow();
      link.hangUp();
    }
  }

  /** New connections get through again; what was swallowed stays lost, and so do the connections that lost it. */
  restore(): void {
    this.#mode = 'open';
    for (const link of this.#links) link.heal();
  }

  async close(): Promise<void> {
    this.#mode = 'refusing';
    for (const link of this.#links) link.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#mode === 'refusing') {
      client.resetAndDestroy();
      return;
    }
    this.accepted += 1;
    const link = new ProxyLink(client, this.port, {
      judge: (command) => this.#judge(command),
      cut: () => (this.cuts += 1),
      closed: () => this.#links.delete(link),
    });
    this.#links.add(link);
    if (this.#mode === 'black-hole') link.swallow();
  }
}
