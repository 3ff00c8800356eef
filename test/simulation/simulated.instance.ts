import type { LockSettings } from '../../libs/distributed-lock/src/contracts/settings.js';
import { NoticeBoard } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { engineOn } from '../../libs/distributed-lock/src/startup/open.engine.js';
import { serviceOn } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { SimulatedBackend } from './simulated.backend.js';
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
});

/** One process with the real library, from its start to its crash. */
export class SimulatedInstance {
  readonly process: SimulatedProcess;
  readonly backend: SimulatedBackend;
  readonly service: LockService;
  readonly wheel: TimerWheel;
  /** What it wrote to the log. */
  readonly notices: string[] = [];

  constructor(
    private readonly world: World,
    server: SimulatedServer,
    readonly name: string,
    readonly network: Network,
  ) {
    this.process = new SimulatedProcess(world.seed, name);
    const board = new NoticeBoard();
    board.listen((notice) => {
      this.notices.push(notice.kind);
      this.world.note(`log ${notice.kind}`);
    });
    const { backend, wheel, service } = world.as(this.process, () => {
      const timers = new TimerWheel();
      const connections = new SimulatedBackend(world, server, this.process, this.network);
      const open = engineOn(connections, SETTINGS, { wheel: timers, notices: board });
      return { backend: connections, wheel: timers, service: serviceOn(open) };
    });
    this.backend = backend;
    this.wheel = wheel;
    this.service = service;
  }

  get isLive(): boolean {
    return !this.process.isDead;
  }

  /** Whether it would notice the time now: a process that is stopped believes nothing. */
  get isRunning(): boolean {
    return this.isLive && this.process.stoppedUntil <= this.world.now;
  }

  /** As by `kill -9`. */
  crash(): void {
    this.process.isDead = true;
    this.backend.crash();
  }

  /** As by SIGSTOP and SIGCONT. */
  stop(duration: number): void {
    this.process.stoppedUntil = Math.max(this.process.stoppedUntil, this.world.now + duration);
  }
}
