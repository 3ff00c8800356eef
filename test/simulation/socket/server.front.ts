import { SeededDice } from '../seeded.dice.js';
import type { SimulatedServer } from '../simulated.server.js';
import type { World } from '../world.js';

/** How long a server that has just started reads its data, at most, in ms. */
const LOADING = 300;

/** What all connections of one server share: the part of Redis that is not its data. */
export class ServerFront {
  /** Undefined: the server demands none. */
  readonly password: string | undefined;
  /** The server takes no further clients until then. */
  fullUntil = -Infinity;
  readonly #dice: SeededDice;
  #run = 0;
  #loadingUntil = -Infinity;

  constructor(
    readonly world: World,
    readonly server: SimulatedServer,
  ) {
    this.#dice = new SeededDice(world.seed, `${server.process.name} front`);
    this.password = this.#dice.chance(0.5) ? 'secret' : undefined;
  }

  get isLoading(): boolean {
    this.#noticeRestart();
    return this.#loadingUntil > this.world.now;
  }

  chance(probability: number): boolean {
    return this.#dice.chance(probability);
  }

  info(): string {
    const { world, server } = this;
    const lines = [
      'redis_version:7.4.1',
      'redis_mode:standalone',
      `run_id:${server.process.name}${this.#run}`,
      `uptime_in_seconds:${Math.floor((world.now - server.upSince) / 1000)}`,
      `loading:${this.isLoading ? 1 : 0}`,
      'role:master',
      'connected_slaves:0',
      'maxmemory:0',
      'maxmemory_policy:noeviction',
      'aof_enabled:1',
    ];
    return `${lines.join('\r\n')}\r\n`;
  }

  /** A restarted server reads its data first. */
  #noticeRestart(): void {
    if (this.#run === this.server.runs) return;
    if (this.#run > 0) this.#loadingUntil = this.server.upSince + this.#dice.between(0, LOADING);
    this.#run = this.server.runs;
  }
}
