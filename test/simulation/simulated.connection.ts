import type { SimulatedProcess } from './simulated.process.js';
import type { ServerConnection, SimulatedServer } from './simulated.server.js';
import { SimulatedWire, type Network } from './simulated.wire.js';
import type { World } from './world.js';

/** The pauses between attempts to connect, in ms. */
const RETRY = { least: 20, most: 500 };

/** What a connection reports to the client above it. */
export interface ConnectionListener {
  ready(): void;
  /** @param why for errors */
  lost(why: string): void;
}

/** One connection of an instance: it connects, breaks, and connects again, as a client of Redis does. */
export class SimulatedConnection implements ServerConnection {
  #toServer: SimulatedWire | undefined;
  #toClient: SimulatedWire | undefined;
  #attempts = 0;
  #isClosed = false;
  #lastTrouble = '';
  #partedUntil = -Infinity;

  constructor(
    private readonly world: World,
    private readonly server: SimulatedServer,
    private readonly owner: SimulatedProcess,
    private readonly network: Network,
    private readonly listener: ConnectionListener,
  ) {}

  get isReady(): boolean {
    return this.#toServer !== undefined;
  }

  get lastTrouble(): string {
    return this.#lastTrouble;
  }

  connect(): void {
    if (this.#isClosed || this.isReady) return;
    const { requests, replies } = this.network;
    const handshake = requests.least + replies.least + this.#fraction() * 2;
    this.world.after(this.owner, handshake, '', () => {
      if (this.#isClosed || this.isReady) return;
      const partedUntil = Math.max(this.network.partedUntil, this.#partedUntil);
      if (this.server.isUp && partedUntil <= this.world.now) this.#open();
      else this.#connectLater('connection refused');
    });
  }

  /** Sends a request; `serve` runs on the server, and its `answer` on the client. */
  send(what: string, serve: (answer: (what: string, receive: () => void) => void) => void): void {
    const toClient = this.#toClient;
    this.#toServer?.send(what, () => serve((text, receive) => toClient?.send(text, receive)));
  }

  /** The server sends something by itself. */
  push(what: string, receive: () => void): void {
    this.#toClient?.send(what, receive);
  }

  /** Breaks the connection: what is on its way is lost, and the client finds it out at once. */
  cut(why: string): void {
    if (!this.isReady) return;
    this.#drop(why);
    this.#connectLater(why);
  }

  /** Breaks the connection, and lets no new one be made for so long, in ms. */
  part(duration: number): void {
    this.#partedUntil = Math.max(this.#partedUntil, this.world.now + duration);
    this.cut('the network is parted');
  }

  /** The client gives the connection up, because it is silent. */
  restart(): void {
    this.cut('it was silent');
  }

  close(): void {
    this.#isClosed = true;
    if (this.isReady) this.#drop('closed');
  }

  #open(): void {
    this.#attempts = 0;
    this.#lastTrouble = '';
    this.#toServer = new SimulatedWire(
      this.world,
      this.server.process,
      this.network.requests,
      this.#fraction,
    );
    this.#toClient = new SimulatedWire(this.world, this.owner, this.network.replies, this.#fraction);
    this.server.connections.add(this);
    this.listener.ready();
  }

  #drop(why: string): void {
    this.#lastTrouble = why;
    this.#toServer?.cut();
    this.#toClient?.cut();
    this.#toServer = undefined;
    this.#toClient = undefined;
    this.server.connections.delete(this);
    this.world.after(this.owner, 0, `connection lost: ${why}`, () => this.listener.lost(why));
  }

  #connectLater(why: string): void {
    this.#lastTrouble = why;
    this.#attempts += 1;
    const pause = Math.min(RETRY.least * 2 ** Math.min(this.#attempts, 6), RETRY.most);
    this.world.after(this.owner, pause, '', () => this.connect());
  }

  readonly #fraction = (): number => this.owner.dice.fraction();
}
