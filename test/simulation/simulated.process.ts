import { SeededDice } from './seeded.dice.js';

/** A process of the fleet, or the server: it has its own clocks and randomness, and may be stopped or dead. */
export class SimulatedProcess {
  readonly dice: SeededDice;
  /** How far its wall clock is ahead of that of the world, in ms. */
  wallOffset = 0;
  /** How far its leases are ahead, in ms: only a server counts them by its wall clock. */
  leaseOffset = 0;
  /** Stopped until then, as by SIGSTOP: its events wait. */
  stoppedUntil = -Infinity;
  /** Its events never happen. */
  isDead = false;

  constructor(
    seed: number,
    readonly name: string,
  ) {
    this.dice = new SeededDice(seed, `process ${name}`);
  }

  /** Whether it would notice the time of an instant: a process that is stopped believes nothing. */
  isRunningAt(now: number): boolean {
    return !this.isDead && this.stoppedUntil <= now;
  }

  /** As by SIGSTOP, and SIGCONT at an instant. */
  stop(until: number): void {
    this.stoppedUntil = Math.max(this.stoppedUntil, until);
  }
}
