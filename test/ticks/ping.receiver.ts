import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../support/until.js';

/** A request as the receiver got it. */
export interface Ping {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
  /** The lines of the body, by their names. */
  readonly facts: Readonly<Record<string, string>>;
  /** On the monotonic clock. */
  readonly at: number;
}

/** How a request is answered: a status, or nothing until {@link PingReceiver.answer}. */
export type Answer = number | 'hold' | { readonly redirect: string };

/** A monitoring service: a real HTTP server that notes what it receives. */
export class PingReceiver {
  readonly pings: Ping[] = [];
  /** By path, without the query; the others get 200. */
  readonly answers = new Map<string, Answer>();
  readonly #held: ServerResponse[] = [];

  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  static async open(): Promise<PingReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new PingReceiver(server, `127.0.0.1:${port}`);
    server.on('request', (request, response) => void receiver.#receive(request, response));
    return receiver;
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** The paths of what has come, oldest first. */
  get paths(): string[] {
    return this.pings.map(({ path }) => path);
  }

  of(path: string): Ping[] {
    return this.pings.filter((ping) => ping.path === path);
  }

  /** Waits for that many requests of a path. */
  async received(path: string, count = 1, within = 10_000): Promise<Ping[]> {
    await until(`${count} requests of ${path}`, () => this.of(path).length >= count, within);
    return this.of(path);
  }

  /** Answers what it holds. */
  answer(): void {
    for (const response of this.#held.splice(0)) response.end('OK');
  }

  async close(): Promise<void> {
    this.answer();
    this.server.closeAllConnections();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const lines = body.split('\n').map((line) => line.split(/: (.*)/s, 2));
    const facts = Object.fromEntries(lines.map(([name = '', value = '']) => [name, value]));
    this.pings.push({ method, path: url, authorization: headers.authorization, body, facts, at });
    const answer = this.answers.get(url.replace(/\?.*/, '')) ?? 200;
    if (answer === 'hold') this.#held.push(response);
    else if (typeof answer === 'number') response.writeHead(answer).end('the answer');
    else response.writeHead(307, { location: answer.redirect }).end();
  }
}

/** What a test of heartbeats needs. */
export interface PingFixtures {
  /** A receiver of the test's own. */
  receiver: PingReceiver;
}

/** For `test.extend`. */
export const pingFixtures = {
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  receiver: async ({}: object, use: (receiver: PingReceiver) => Promise<void>): Promise<void> => {
    const receiver = await PingReceiver.open();
    try {
      await use(receiver);
    } finally {
      await receiver.close();
    }
  },
};
