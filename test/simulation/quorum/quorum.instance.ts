import { NoticeBoard } from '../../../libs/distributed-lock/src/events/notice.board.js';
import { ServerAge } from '../../../libs/distributed-lock/src/redis/server.age.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { engineOn } from '../../../libs/distributed-lock/src/startup/open.engine.js';
import {
  memberOf,
  quorumOn,
  type QuorumMember,
} from '../../../libs/distributed-lock/src/startup/open.quorum.js';
import { serviceOn } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { QuorumNotices } from '../../../libs/distributed-lock/src/startup/quorum.notices.js';
import { TimerWheel } from '../../../libs/distributed-lock/src/timing/timer.wheel.js';
import { SimulatedBackend } from '../simulated.backend.js';
import { SETTINGS } from '../simulated.instance.js';
import { SimulatedProcess } from '../simulated.process.js';
import type { SimulatedServer } from '../simulated.server.js';
import type { Network } from '../simulated.wire.js';
import type { World } from '../world.js';
import { agedConnection, type QuorumServer } from './quorum.server.js';

/** How long the first connections may take, in ms. */
const BOOT_TIMEOUT = 5000;

/** A red lock's server, and the way to it. */
export interface QuorumLink {
  readonly server: QuorumServer;
  readonly network: Network;
}

/** One process with red locks on several servers, from its start to its crash. */
export class QuorumInstance {
  readonly process: SimulatedProcess;
  /** In the order of the servers. */
  readonly backends: SimulatedBackend[] = [];
  service: LockService | undefined;
  #main: SimulatedBackend | undefined;

  constructor(
    private readonly world: World,
    readonly name: string,
    readonly links: readonly QuorumLink[],
  ) {
    this.process = new SimulatedProcess(world.seed, name);
  }

  get isLive(): boolean {
    return !this.process.isDead;
  }

  get isRunning(): boolean {
    return this.process.isRunningAt(this.world.now);
  }

  /** To be called in an event of its process. @param main the server of all other locks. @throws LockUnavailableError */
  async open(main: SimulatedServer, network: Network): Promise<LockService> {
    const notices = new NoticeBoard();
    notices.listen(({ kind }) => this.world.note(`log ${kind}`));
    const wheel = new TimerWheel();
    this.#main = new SimulatedBackend(this.world, main, this.process, network);
    const open = engineOn(this.#main, SETTINGS, { wheel, notices });
    const boards = new QuorumNotices(notices);
    const members = this.links.map((link) => this.#join(link, wheel, boards));
    const red = await quorumOn(SETTINGS, members, notices);
    this.service = serviceOn(open, red);
    return this.service;
  }

  /** As by `kill -9`: the kernel closes its sockets. */
  crash(): void {
    this.process.isDead = true;
    for (const backend of this.backends) void backend.close();
    void this.#main?.close();
  }

  #join({ server, network }: QuorumLink, wheel: TimerWheel, boards: QuorumNotices): QuorumMember {
    const { name: address } = server;
    const backend = new SimulatedBackend(this.world, server, this.process, network);
    this.backends.push(backend);
    const { engine } = engineOn(backend, SETTINGS, { wheel, notices: boards.of(address) });
    const age = new ServerAge(
      agedConnection(server, backend.commands),
      wheel,
      SETTINGS.commandTimeout,
      SETTINGS.redLockRestartDelay,
    );
    const connections = { ready: () => this.#ready(backend), close: () => backend.close() };
    return memberOf({ engine, connections, age, address });
  }

  #ready({ commands }: SimulatedBackend): Promise<void> {
    return new Promise((resolve, reject) => {
      commands.onReady(resolve);
      this.world.after(this.process, BOOT_TIMEOUT, '', () => reject(new Error('no connection in time')));
    });
  }
}
