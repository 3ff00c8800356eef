import type { AgedConnection } from '../../../libs/distributed-lock/src/redis/server.age.js';
import type { SimulatedBackend } from '../simulated.backend.js';
import { SimulatedServer } from '../simulated.server.js';
import type { World } from '../world.js';

/** How long each server has been up when a simulation begins, in ms. */
const UP_BEFORE = 3_600_000;

/** One of the independent servers of red locks: it has an age, and may lose what it knows. */
export class QuorumServer extends SimulatedServer {
  /** When it last forgot its locks at a restart. */
  forgotAt = -Infinity;
  /** When its clock was last set forward, which ends leases early. */
  steppedAt = -Infinity;
  #run = 1;
  /** In whole seconds of its wall clock, as Redis has it. */
  #startedAt: number;

  constructor(world: World, name: string) {
    super(world, name);
    this.#startedAt = Math.floor((world.now - UP_BEFORE) / 1000);
  }

  /** The answer to `INFO server`. */
  get info(): string {
    const uptime = Math.floor((this.world.now + this.process.wallOffset) / 1000) - this.#startedAt;
    return `run_id:${this.name}${this.#run}\r\nuptime_in_seconds:${uptime}\r\n`;
  }

  startAnew(downFor: number, keepsData: boolean): void {
    this.restart(downFor);
    this.#run += 1;
    this.#startedAt = Math.floor((this.world.now + downFor + this.process.wallOffset) / 1000);
    if (keepsData) return;
    this.store.keys.clear();
    this.forgotAt = this.world.now + downFor;
  }

  override stepClock(size: number): void {
    super.stepClock(size);
    if (size > 0) this.steppedAt = this.world.now;
  }
}

/** The connection of commands of one instance, as the age of its server is asked for on it. */
export function agedConnection(server: QuorumServer, commands: SimulatedBackend['commands']): AgedConnection {
  const { connection } = commands;
  return {
    get isReady() {
      return commands.isReady;
    },
    get lastError() {
      return connection.lastTrouble;
    },
    onReady: (listener) => commands.onReady(listener),
    restart: () => connection.restart(),
    client: {
      on: (event, listener) => {
        if (event === 'close') commands.onLost(listener);
      },
      info: () =>
        new Promise((resolve, reject) => {
          commands.onLost(() => reject(new Error('the connection broke')));
          connection.send('INFO server', (answer) => {
            const { info } = server;
            if (!commands.losesReplies) answer('', () => resolve(info));
          });
        }),
    },
  };
}
