import type { CallingInstance } from './calling.instance.js';
import { DataLosses } from './data.losses.js';
import { SERVER_FAULTS, type Fault, type FaultKind } from './fault.plan.js';
import { REFUSAL_CODES } from './server.refusals.js';
import { SETTINGS, SimulatedInstance } from './simulated.instance.js';
import type { Layer } from './simulated.layer.js';
import { SimulatedServer } from './simulated.server.js';
import { SLOW_FOR, slowDown, usualNetwork } from './simulated.wire.js';
import type { World } from './world.js';

/** After how long a connection of messages that is silent is noticed at the latest, in ms: its client pings this often. */
const SILENT_FOR = 15_000;

/** The instances of an application on one server. An instance that crashes is followed by another one. */
export class SimulatedFleet {
  readonly server: SimulatedServer;
  readonly losses: DataLosses;
  /** Unlocks a lock by force, of an instance. */
  forceUnlock: ((instance: SimulatedInstance, choice: number) => void) | undefined;
  /** Called when an instance that had nothing to fear was shut down. */
  onShutdown: ((instance: SimulatedInstance, begun: number) => void) | undefined;
  readonly #instances: SimulatedInstance[] = [];
  /** The moment at which the last fault of any instance ended. */
  lastTrouble = 0;
  /** When each process has ended. */
  readonly #ends: number[] = [];
  /** How often each kind of fault happened. */
  readonly faults = new Map<string, number>();
  #generation = 0;
  #serverTrouble = 0;

  constructor(
    private readonly world: World,
    size: number,
    private readonly layer: Layer,
    private readonly started: (instance: SimulatedInstance, place: number) => void,
  ) {
    this.server = new SimulatedServer(world);
    this.losses = new DataLosses(world);
    for (let place = 0; place < size; place += 1) this.#start(place);
  }

  get live(): readonly SimulatedInstance[] {
    return this.#instances.filter(({ isLive }) => isLive);
  }

  /** When a process last ended. */
  get lastEnd(): number {
    return Math.max(-Infinity, ...this.#ends);
  }

  /** How many processes that were there at `time`, beside one, were stopped, cut off or dead after it. */
  hurtSince(time: number, but: CallingInstance): number {
    const hurt = this.live.filter((one) => one !== but && one.startedAt <= time && one.calmSince > time);
    return hurt.length + this.#ends.filter((end) => end > time).length;
  }

  at(place: number): SimulatedInstance | undefined {
    return this.#instances[place];
  }

  plan(faults: readonly Fault[]): void {
    for (const fault of faults)
      this.world.at(
        this.world.outside,
        fault.at,
        `fault: ${fault.kind} of i${fault.target} ${fault.size}`,
        () => this.#apply(fault),
      );
  }

  #start(place: number): void {
    this.#generation += 1;
    const name = `i${place}.${this.#generation}`;
    const instance = new SimulatedInstance(this.world, this.server, name, usualNetwork(), this.layer);
    this.#instances[place] = instance;
    instance.troubleFor(this.#serverTrouble - this.world.now);
    this.world.after(instance.process, 0, 'started', () => this.started(instance, place));
  }

  #apply({ kind, target, size }: Fault): void {
    const instance = this.#instances[target];
    if (instance === undefined || !instance.isLive) return;
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    const duration = this.#troubleOf(kind, size);
    this.lastTrouble = Math.max(this.lastTrouble, this.world.now + duration);
    const isOfServer = SERVER_FAULTS.has(kind);
    if (isOfServer) this.#serverTrouble = Math.max(this.#serverTrouble, this.world.now + duration);
    for (const troubled of isOfServer ? this.live : [instance]) troubled.troubleFor(duration);
    const { link } = instance;
    switch (kind) {
      case 'crash':
        this.#end(instance);
        this.world.after(this.world.outside, size, 'restart', () => this.#start(target));
        break;
      case 'stop':
        instance.process.stop(this.world.now + size);
        break;
      case 'cut commands':
        link.cutCommands('the connection was reset');
        break;
      case 'cut messages':
        link.cutMessages('the connection was reset');
        break;
      case 'lose replies':
        link.loseReplies();
        break;
      case 'partition':
        instance.network.partedUntil = this.world.now + size;
        link.part();
        break;
      case 'slow requests':
        slowDown(this.world, instance.network.requests, size);
        break;
      case 'slow replies':
        slowDown(this.world, instance.network.replies, size);
        break;
      case 'step clock':
        instance.process.wallOffset += size;
        break;
      case 'shut down':
        this.#shutDown(instance, target, size);
        break;
      case 'force unlock':
        this.forceUnlock?.(instance, size);
        break;
      case 'restart server':
        this.server.restart(size);
        break;
      case 'lose data':
        this.server.restart(size);
        this.server.store.clear();
        this.losses.ofData();
        break;
      case 'step server clock':
        this.server.stepClock(size);
        this.losses.ofClock(size);
        break;
      case 'stop server':
        this.server.process.stop(this.world.now + size);
        break;
      case 'forget scripts':
        this.server.refusals.forgetScripts();
        break;
      case 'refuse commands':
        this.server.refusals.begin(REFUSAL_CODES[size % REFUSAL_CODES.length] ?? 'BUSY', size);
        break;
      default:
        link.breakBy(kind, size);
        break;
    }
  }

  #end(instance: SimulatedInstance): void {
    instance.crash();
    this.#ends.push(instance.endedAt);
  }

  /** As by SIGTERM: the process ends when it has released its locks. */
  #shutDown(instance: SimulatedInstance, place: number, size: number): void {
    const { world } = this;
    const begun = world.now;
    const exit = () => {
      if (!instance.isLive) return;
      if (instance.calmSince <= begun) this.onShutdown?.(instance, begun);
      this.#end(instance);
      world.after(world.outside, size, 'restart', () => this.#start(place));
    };
    world.at(instance.process, begun, 'shut down', () => {
      const exitLater = () => void world.after(world.outside, 0, 'exit', exit);
      void instance.shutDown().then(exitLater, exitLater);
    });
  }

  /** For how long a fault may keep a waiter from its lock, in ms. */
  #troubleOf(kind: FaultKind, size: number): number {
    const { stall, reconnect } = this.layer;
    switch (kind) {
      case 'stop':
      case 'crash':
      case 'restart server':
      case 'partition':
        return size + reconnect;
      case 'lose replies':
      case 'silent commands':
        return stall + reconnect;
      case 'silent messages':
        return SILENT_FOR + stall + reconnect;
      case 'stop server':
      case 'fill server':
        return size + stall + reconnect;
      case 'slow requests':
      case 'slow replies':
      case 'delay messages':
        return SLOW_FOR + size;
      case 'refuse commands':
      case 'lose data':
        return size + reconnect;
      case 'lose messages':
        return size + SETTINGS.watchdogTimeout;
      case 'step server clock':
        return SETTINGS.watchdogTimeout;
      case 'shut down':
        return 0;
      default:
        return reconnect;
    }
  }
}
