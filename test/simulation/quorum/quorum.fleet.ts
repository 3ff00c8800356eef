import { STALL } from '../simulated.backend.js';
import { REFUSAL_CODES } from '../server.refusals.js';
import { SETTINGS } from '../simulated.instance.js';
import { SimulatedServer } from '../simulated.server.js';
import { SLOW_FOR, slowDown, usualNetwork } from '../simulated.wire.js';
import type { World } from '../world.js';
import type { QuorumFault, QuorumFaultKind } from './quorum.faults.js';
import { QuorumInstance, type QuorumLink } from './quorum.instance.js';
import { QuorumServer } from './quorum.server.js';
import { ServerOutages } from './server.outages.js';

/** The servers of red locks. */
export const SERVERS = 5;

/** How long a client takes at most to have a connection again, and an answer on it, in ms. */
const RECONNECT = 600 + SETTINGS.commandTimeout;

/** How long a server may keep what a holder left behind, in ms. */
const LONGEST_LEASE = SETTINGS.watchdogTimeout;

/** The age of a server is known in whole seconds. */
const RESTART_DELAY = SETTINGS.redLockRestartDelay + 1000;

/** How long it takes at most, in ms, until a hold is completed by a server that is there again. */
export const COMPLETED = SETTINGS.watchdogTimeout / 3 + 300;

/** How long it takes after its grant, in ms, until a hold is completed by a server that was there all the time. */
export const COMPLETED_FIRST = 400;

/** The pause before an instance that could not start is started again, in ms. */
const START_AGAIN = 500;

/** The instances of an application with red locks on five servers. An instance that crashes is followed by another one. */
export class QuorumFleet {
  readonly servers: readonly QuorumServer[];
  /** How often each kind of fault happened. */
  readonly faults = new Map<string, number>();
  readonly #main: SimulatedServer;
  readonly #instances: QuorumInstance[] = [];
  /** Of servers with which, or with a way to which, something is wrong. */
  readonly outages = new ServerOutages(SERVERS);
  /** Of servers that may also have what a holder left behind. */
  readonly leftovers = new ServerOutages(SERVERS);
  #generation = 0;
  /** When faults began. */
  readonly #faultTimes: number[] = [];

  constructor(
    private readonly world: World,
    size: number,
    private readonly started: (instance: QuorumInstance) => void,
  ) {
    this.#main = new SimulatedServer(world, 'main');
    this.servers = Array.from({ length: SERVERS }, (_, place) => new QuorumServer(world, `s${place}`));
    for (let place = 0; place < size; place += 1) this.#start(place);
  }

  get live(): readonly QuorumInstance[] {
    return this.#instances.filter(({ isLive }) => isLive);
  }

  /** Whether a fault began in a time. */
  hadFault(from: number, to: number): boolean {
    return this.#faultTimes.some((at) => at >= from && at <= to);
  }

  /** Since when nothing is wrong with a server, nor with a way to it. */
  thereFrom(place: number): number {
    return this.outages.until(place) - COMPLETED;
  }

  plan(faults: readonly QuorumFault[]): void {
    for (const fault of faults) {
      const { at, kind, instance, server, size } = fault;
      const what = `fault: ${kind} of i${instance}, s${server} ${size}`;
      this.world.at(this.world.outside, at, what, () => this.#apply(fault));
    }
  }

  #start(place: number): void {
    this.#generation += 1;
    const links = this.servers.map((server): QuorumLink => ({ server, network: usualNetwork() }));
    const instance = new QuorumInstance(this.world, `i${place}.${this.#generation}`, links);
    this.#instances[place] = instance;
    this.world.after(instance.process, 0, 'started', () => {
      instance.open(this.#main, usualNetwork()).then(
        () => this.started(instance),
        (error: unknown) => {
          this.world.note(`not started: ${String(error)}`);
          instance.crash();
          this.world.after(this.world.outside, START_AGAIN, 'restart', () => this.#start(place));
        },
      );
    });
  }

  #apply(fault: QuorumFault): void {
    const { kind, size } = fault;
    const instance = this.#instances[fault.instance];
    const server = this.servers[fault.server];
    if (instance === undefined || !instance.isLive || server === undefined) return;
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    this.#faultTimes.push(this.world.now);
    switch (kind) {
      case 'crash':
        instance.crash();
        this.world.after(this.world.outside, size, 'restart', () => this.#start(fault.instance));
        this.#troubleAll(RECONNECT);
        break;
      case 'stop':
        instance.process.stop(this.world.now + size);
        this.#troubleAll(size + RECONNECT);
        break;
      case 'step clock':
        instance.process.wallOffset += size;
        this.#troubleAll(RECONNECT);
        break;
      case 'partition':
        this.#part(instance, fault.server, size);
        this.#part(instance, (fault.server + 1) % SERVERS, size);
        break;
      case 'restart server':
      case 'restart server without data':
      case 'isolate server':
      case 'stop server':
      case 'step server clock':
      case 'slow server':
      case 'refuse commands':
        this.#applyToServer(server, fault);
        break;
      default:
        this.#applyToLink(instance, fault.server, kind, size);
    }
  }

  #applyToServer(server: QuorumServer, { kind, server: place, size }: QuorumFault): void {
    switch (kind) {
      case 'isolate server':
        for (const instance of this.live) this.#part(instance, place, size);
        break;
      case 'stop server':
        server.process.stop(this.world.now + size);
        this.#trouble(place, size + RECONNECT);
        break;
      case 'step server clock':
        server.stepClock(size);
        // What it holds lasts longer then, and it looks younger than it is.
        this.#trouble(place, RECONNECT + Math.max(0, -size) + RESTART_DELAY);
        break;
      case 'slow server':
        for (const { links } of this.live) {
          const link = links[place];
          if (link !== undefined) slowDown(this.world, link.network.replies, size);
        }
        this.#trouble(place, SLOW_FOR + size + RECONNECT);
        break;
      case 'refuse commands':
        server.refusals.begin(REFUSAL_CODES[size % REFUSAL_CODES.length] ?? 'BUSY', size);
        this.#trouble(place, size + RECONNECT);
        break;
      default:
        server.startAnew(size, kind === 'restart server');
        this.#trouble(place, size + RECONNECT + RESTART_DELAY);
    }
  }

  #applyToLink(instance: QuorumInstance, place: number, kind: QuorumFaultKind, size: number): void {
    const backend = instance.backends[place];
    const link = instance.links[place];
    if (backend === undefined || link === undefined) return;
    const { commands, subscriber } = backend;
    switch (kind) {
      case 'cut commands':
        commands.connection.cut('the connection was reset');
        this.#trouble(place, RECONNECT);
        break;
      case 'cut messages':
        subscriber.connection.cut('the connection was reset');
        this.#trouble(place, RECONNECT);
        break;
      case 'lose replies':
        commands.losesReplies = true;
        this.#trouble(place, STALL + RECONNECT);
        break;
      default:
        slowDown(this.world, kind === 'slow requests' ? link.network.requests : link.network.replies, size);
        this.#trouble(place, SLOW_FOR + size + RECONNECT);
    }
  }

  #part(instance: QuorumInstance, place: number, duration: number): void {
    const backend = instance.backends[place];
    const link = instance.links[place];
    if (backend === undefined || link === undefined) return;
    link.network.partedUntil = Math.max(link.network.partedUntil, this.world.now + duration);
    backend.commands.connection.cut('the network is parted');
    backend.subscriber.connection.cut('the network is parted');
    this.#trouble(place, duration + RECONNECT);
  }

  #troubleAll(duration: number): void {
    for (const place of this.servers.keys()) this.#trouble(place, duration);
  }

  #trouble(place: number, duration: number): void {
    const { now } = this.world;
    // A server that is back is requested to complete a hold at the next check of that hold.
    this.outages.add(place, now, now + duration + COMPLETED);
    this.leftovers.add(place, now, now + duration + LONGEST_LEASE);
  }
}
