import type { LockSettings } from '../../libs/distributed-lock/src/contracts/settings.js';
import { NoticeBoard } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import type { CallingInstance } from './calling.instance.js';
import { SeededDice } from './seeded.dice.js';
import type { InstanceLink, Layer } from './simulated.layer.js';
import { SimulatedProcess } from './simulated.process.js';
import type { SimulatedServer } from './simulated.server.js';
import type { Network } from './simulated.wire.js';
import type { World } from './world.js';

/** The settings of the fleet: a watchdog that is short enough for many renewals in few simulated seconds. */
export const SETTINGS: LockSettings = readSettings({
  lockWatchdogTimeout: 3000,
  commandTimeout: 500,
  shutdownTimeout: 1000,
  appName: 'simulation',
  instanceInfo: false,
});

/** How far the wall clock of a process is wrong, in ms: often by little, sometimes by seconds or an hour. */
function clockErrorOf(dice: SeededDice): number {
  const most = dice.pick([50, 50, 50, 50, 5000, 5000, 60_000, 3_600_000]);
  return dice.between(-most, most);
}

/** One process with the real library, from its start to its crash. */
export class SimulatedInstance implements CallingInstance {
  readonly process: SimulatedProcess;
  readonly link: InstanceLink;
  readonly service: LockService;
  readonly startedAt: number;
  isEnding = false;
  /** Called when its shutdown begins, as a hook of the application. */
  onShutdown: (() => void) | undefined;
  endedAt = Infinity;
  /** Holder ids of holds that it has lost → when. */
  readonly lost = new Map<string, number>();
  #calmFrom = -Infinity;

  constructor(
    private readonly world: World,
    private readonly server: SimulatedServer,
    readonly name: string,
    readonly network: Network,
    private readonly layer: Layer,
  ) {
    this.startedAt = world.now;
    this.process = new SimulatedProcess(world.seed, name);
    this.process.wallOffset = clockErrorOf(new SeededDice(world.seed, `clock of ${name}`));
    const notices = new NoticeBoard();
    notices.listen((notice) => {
      world.note(`log ${notice.kind}`);
      if (notice.kind === 'lost') this.lost.set(notice.holder, world.now);
    });
    const place = { world, server, process: this.process, network, notices };
    const { service, link } = world.as(this.process, () => layer.boot(place));
    this.link = link;
    this.service = service;
  }

  get isLive(): boolean {
    return !this.process.isDead;
  }

  get isRunning(): boolean {
    return this.process.isRunningAt(this.world.now);
  }

  get isConnected(): boolean {
    return this.link.isConnected;
  }

  get calmSince(): number {
    const isAway = !this.isConnected && !this.isEnding;
    if (!this.isRunning || isAway) this.troubleFor(this.layer.reconnect);
    return this.#calmFrom;
  }

  /** Something keeps it from talking to its server for so long, in ms. */
  troubleFor(duration: number): void {
    this.#calmFrom = Math.max(this.#calmFrom, this.world.now + duration);
  }

  /** As by SIGTERM: it releases its locks, and ends. */
  shutDown(): Promise<void> {
    this.isEnding = true;
    this.onShutdown?.();
    return this.service.shutDown();
  }

  /** As by `kill -9`: the kernel closes its sockets. */
  crash(): void {
    this.process.isDead = true;
    // What it had sent arrives later, and a server that stands still runs it afterwards.
    this.endedAt = Math.max(this.link.kill(), this.server.process.stoppedUntil);
  }
}
