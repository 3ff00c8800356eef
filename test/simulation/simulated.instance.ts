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

  constructor(
    private readonly world: World,
    server: SimulatedServer,
    readonly name: string,
    readonly network: Network,
  ) {
    this.process = new SimulatedProcess(world.seed, name);
    const notices = new NoticeBoard();
    notices.listen(({ kind }) => world.note(`log ${kind}`));
    const { connections, service } = world.as(this.process, () => {
      const backend = new SimulatedBackend(world, server, this.process, network);
      const open = engineOn(backend, SETTINGS, { wheel: new TimerWheel(), notices });
      return { connections: open.connections, service: serviceOn(open) };
    });
    this.backend = connections;
    this.service = service;
  }

  get isLive(): boolean {
    return !this.process.isDead;
  }

  /** Whether it would notice the time now: a process that is stopped believes nothing. */
  get isRunning(): boolean {
    return this.isLive && this.process.stoppedUntil <= this.world.now;
  }

  /** As by `kill -9`: the kernel closes its sockets. */
  crash(): void {
    this.process.isDead = true;
    void this.backend.close();
  }

  /** As by SIGSTOP and SIGCONT. */
  stop(duration: number): void {
    this.process.stoppedUntil = Math.max(this.process.stoppedUntil, this.world.now + duration);
  }
}
