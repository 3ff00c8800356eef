import { NoticeBoard } from '../../../libs/distributed-lock/src/events/notice.board.js';
import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { makeEngine } from '../../../libs/distributed-lock/src/startup/open.engine.js';
import { serviceOn } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { TimerWheel } from '../../../libs/distributed-lock/src/timing/timer.wheel.js';
import type { CallingInstance } from '../calling.instance.js';
import { SimulatedProcess } from '../simulated.process.js';
import type { Network } from '../simulated.wire.js';
import type { World } from '../world.js';
import type { NodeDeployment } from './node.deployment.js';
import type { SimulatedClient } from './simulated.client.js';

/** One process with the real library above its clients, from its start to its crash. */
export class NodeInstance implements CallingInstance {
  readonly process: SimulatedProcess;
  readonly clients = new Set<SimulatedClient>();
  isEnding = false;
  endedAt = Infinity;
  /** Since when nothing has gone wrong for it alone; in the future while something is wrong. */
  ownCalmSince = 0;
  /** The same of its servers. */
  serversCalmSince = 0;
  /** Whether replicas have to acknowledge its grants. */
  isAcked = false;
  service: LockService | undefined;

  constructor(
    private readonly world: World,
    readonly name: string,
    readonly network: Network,
  ) {
    this.process = new SimulatedProcess(world.seed, name);
  }

  get isLive(): boolean {
    return !this.process.isDead;
  }

  get isRunning(): boolean {
    return this.process.isRunningAt(this.world.now);
  }

  /** A connection that breaks is made again in the time that its fault is given. */
  get isConnected(): boolean {
    return !this.isEnding;
  }

  get calmSince(): number {
    return Math.max(this.ownCalmSince, this.serversCalmSince);
  }

  /** To be called in an event of its process. @throws LockUnavailableError */
  async open(deployment: NodeDeployment, settings: LockSettings): Promise<LockService> {
    const { world, process, network, clients, name } = this;
    const notices = new NoticeBoard();
    notices.listen(({ kind }) => world.note(`log ${kind}`));
    const template = deployment.templateFor({ world, process, network, clients, name });
    const open = makeEngine(settings, template, { wheel: new TimerWheel(), notices });
    await open.connections.open();
    // Before the first replica is seen, no acknowledgement is required.
    this.isAcked = settings.replication !== undefined && deployment.shards.every(({ isInStep }) => isInStep);
    this.service = serviceOn(open);
    return this.service;
  }

  /** As by SIGTERM: it releases its locks. */
  shutDown(): Promise<void> {
    this.isEnding = true;
    return this.service?.shutDown() ?? Promise.resolve();
  }

  /** As by `kill -9`: the kernel closes its sockets. */
  crash(): void {
    this.process.isDead = true;
    this.endedAt = this.world.now;
    for (const client of this.clients) client.cut('killed');
  }
}
