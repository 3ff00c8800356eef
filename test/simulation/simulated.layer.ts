import type { NoticeBoard } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { FaultKind } from './fault.plan.js';
import type { SimulatedProcess } from './simulated.process.js';
import type { SimulatedServer } from './simulated.server.js';
import type { Network } from './simulated.wire.js';
import type { World } from './world.js';

/** What an instance is started on. */
export interface InstancePlace {
  readonly world: World;
  readonly server: SimulatedServer;
  readonly process: SimulatedProcess;
  readonly network: Network;
  readonly notices: NoticeBoard;
}

/** The connections of an instance, as faults break them. */
export interface InstanceLink {
  /** Whether the library has the connections without which it may wait for longer than it promises. */
  readonly isConnected: boolean;
  cutCommands(why: string): void;
  cutMessages(why: string): void;
  /** Replies are lost, from now on, until the client makes the connection anew. */
  loseReplies(): void;
  /** To be called once `partedUntil` of the network is set. */
  part(): void;
  /** Breaks it in a way that other layers do not have. */
  breakBy(kind: FaultKind, size: number): void;
  /** The process is dead: its kernel closes its sockets. @returns when the last of what it had sent is at the server, in ms */
  kill(): number;
}

/** What of the library is simulated: everything above its ports, or above its sockets. */
export interface Layer {
  /** Silence, while an answer is expected, after which a client gives a connection up, in ms. */
  readonly stall: number;
  /** How long a client takes at most to have a connection again, in ms: its longest pause, and a handshake. */
  readonly reconnect: number;
  /** What can go wrong. */
  readonly faults: readonly FaultKind[];
  /** Starts the library. */
  boot(place: InstancePlace): { readonly service: LockService; readonly link: InstanceLink };
}
