import type { ConnectionPair } from '../../../libs/distributed-lock/src/connections/connection.pair.js';
import { SubscriberConnection } from '../../../libs/distributed-lock/src/redis/subscriber.connection.js';
import type { FaultKind } from '../fault.plan.js';
import { SeededDice } from '../seeded.dice.js';
import type { InstanceLink, InstancePlace } from '../simulated.layer.js';
import type { ServerFront } from './server.front.js';
import { ServerSession } from './server.session.js';
import type { SimulatedSocket } from './simulated.socket.js';
import { SimulatedTcp } from './simulated.tcp.js';

/** The client of the two that a connection belongs to. */
export type Purpose = 'commands' | 'subscriber';

/** A connection with its other end. */
interface Line {
  readonly tcp: SimulatedTcp;
  readonly session: ServerSession;
}

/** When the kernel sends its request for a connection again, in ms from the first one. */
const REPEATED = [1000, 3000, 7000, 15_000];

/** All TCP connections of one instance, and the way to its server. */
export class SocketLink implements InstanceLink {
  readonly #dice: SeededDice;
  /** The newest one of each client. */
  readonly #newest = new Map<Purpose, Line>();
  /** Also those that the client has given up, whose last bytes may still be on their way. */
  readonly #all: SimulatedTcp[] = [];
  #connections: ConnectionPair | undefined;
  #dialled = 0;

  constructor(
    private readonly place: InstancePlace,
    private readonly front: ServerFront,
  ) {
    this.#dice = new SeededDice(place.world.seed, `${place.process.name} sockets`);
  }

  /** A waiter that knows that its messages are lost polls; one that believes in a silent connection does not. */
  get isConnected(): boolean {
    const { commands, subscriber } = this.#connections ?? {};
    if (commands?.isReady !== true || this.#isSilent('commands')) return false;
    if (this.place.network.partedUntil > this.place.world.now) return false;
    const isSubscribed = subscriber instanceof SubscriberConnection && subscriber.lifecycle.isReady;
    return !isSubscribed || !this.#isSilent('subscriber');
  }

  watch(connections: ConnectionPair): void {
    this.#connections = connections;
  }

  /** Connects a socket as TCP does: a lost request is sent again, a server that is down refuses. */
  dial(socket: SimulatedSocket, purpose: Purpose): void {
    const { world, network, process } = this.place;
    const first = world.now;
    const again = REPEATED.find((pause) => first + pause >= network.partedUntil) ?? Infinity;
    const sent = network.partedUntil <= first ? first : first + again;
    if (sent === Infinity) return;
    const arrival = sent + this.#delay(network.requests);
    this.#dialled += 1;
    const id = `${process.name}.${this.#dialled} ${purpose}`;
    world.at(this.front.server.process, arrival, `${id} connects`, () => {
      const back = world.now + this.#delay(network.replies);
      const isUp = this.front.server.isUp;
      if (!isUp) {
        world.at(process, back, `${id} is refused`, () => socket.tcpEnd.broken('connect ECONNREFUSED'));
        return;
      }
      const session = new ServerSession(this.front, id);
      const tcp = new SimulatedTcp(world, network, this.#dice, { client: socket.tcpEnd, server: session });
      tcp.toClient.startAt(back);
      this.#newest.set(purpose, { tcp, session });
      this.#all.push(tcp);
      world.at(process, back, `${id} is connected`, () => socket.connected(tcp));
      session.accept(tcp);
    });
  }

  cutCommands(): void {
    this.#newest.get('commands')?.tcp.cut();
  }

  cutMessages(): void {
    this.#newest.get('subscriber')?.tcp.cut();
  }

  loseReplies(): void {
    this.#newest.get('commands')?.tcp.toClient.silence();
  }

  part(): void {
    for (const tcp of this.#all) tcp.part();
  }

  /** What is on its way is not lost: across an outage the kernel sends it again. */
  kill(): number {
    const arrivals = this.#all.map(({ toServer }) => toServer.lastArrival);
    for (const { toServer } of this.#all) toServer.end();
    return Math.max(this.place.world.now, ...arrivals);
  }

  breakBy(kind: FaultKind, size: number): void {
    switch (kind) {
      case 'silent commands':
        this.#newest.get('commands')?.tcp.silence();
        break;
      case 'silent messages':
        this.#newest.get('subscriber')?.tcp.silence();
        break;
      case 'close commands':
        this.#newest.get('commands')?.session.close();
        break;
      case 'fill server':
        this.front.fullUntil = this.place.world.now + size;
        break;
      default:
        break;
    }
  }

  #isSilent(purpose: Purpose): boolean {
    return this.#newest.get(purpose)?.tcp.isSilent === true;
  }

  #delay({ least, most }: { readonly least: number; readonly most: number }): number {
    return least + this.#dice.fraction() * (most - least);
  }
}
