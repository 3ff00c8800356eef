import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosGround } from './chaos.types.js';
import { machineTime, type RunnerEvent } from './history.js';

/** The pace, in ms. */
const PACE = 300;

/** What a replica may have been behind, and how long clients may go on with the former master, in µs. */
const AROUND = 2_000_000;

/**
 * Notices that another server has become a master though no fault was to bring that about: on a machine that is busy enough sentinels,
 * and nodes of a cluster, take a slow server for a dead one. Then writes may be lost as in any failover.
 */
export class MasterWatch {
  /** Until when a fault moves masters, and says itself whether that loses data; µs. */
  #expected = -Infinity;
  #isOver = false;
  #done: Promise<void> | undefined;

  constructor(
    private readonly ground: ChaosGround,
    private readonly write: (event: RunnerEvent, at?: number) => void,
  ) {}

  /** Runs a fault; one that is a failover by its name needs no other record. */
  async during<T>(fault: string, inject: () => Promise<T>): Promise<T> {
    if (!/failover/i.test(fault)) return await inject();
    this.#expected = Infinity;
    try {
      return await inject();
    } finally {
      this.#expected = machineTime() + AROUND / 2;
    }
  }

  start(): void {
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #watch(): Promise<void> {
    let since = machineTime();
    let before = '';
    while (!this.#isOver) {
      const masters = await this.ground.masters().catch(() => undefined);
      const now = machineTime();
      const ports = masters?.toSorted((one, other) => one - other).join(' ') ?? before;
      if (before !== '' && ports !== before && since > this.#expected)
        this.#tell(since, now, `masters ${before}, then ${ports}`);
      if (masters !== undefined) [before, since] = [ports, now];
      await sleep(PACE);
    }
  }

  #tell(since: number, now: number, note: string): void {
    const event = { kind: 'fault', fault: 'failover seen', note, lossy: true } as const;
    this.write({ ...event, to: now + AROUND }, since - AROUND);
  }
}
