import type { Dice } from '../chaos.types.js';
import type { BreakableGround, GroundFault, GroundStage } from './breakable.ground.js';

/** In these a master is replaced in order, and nothing is lost. */
const IN_ORDER = new Set(['failover in order']);

/** Keeps an eye on faults: what could not be brought about, and what came about that nobody asked for. */
export class FaultWatch {
  /** No matter of the library, but to be known by whoever reads the report. */
  readonly remarks: string[] = [];
  #masters: string | undefined;

  /** A fault that cannot be brought about costs its own effect, and not the run. */
  over(fault: GroundFault): GroundFault {
    return { ...fault, inject: (stage, dice) => this.#inject(fault, stage, dice) };
  }

  async #inject(fault: GroundFault, stage: GroundStage, dice: Dice): Promise<string> {
    const { ground, workers } = stage;
    try {
      await this.#compare(ground, `before ${fault.name}`);
      const note = await fault.inject(stage, dice);
      if (fault.lossy || IN_ORDER.has(fault.name)) this.#masters = undefined;
      await this.#compare(ground, `in ${fault.name}`);
      return note;
    } catch (error) {
      this.remarks.push(`${fault.name} could not be brought about: ${String(error)}`);
      for (const worker of workers) worker.resume();
      await ground.mend();
      this.#masters = undefined;
      return `not brought about: ${String(error)}`;
    }
  }

  /** On a machine that stands still for a second a store fails over by itself, and loses what only its old master knew. */
  async #compare(ground: BreakableGround, when: string): Promise<void> {
    const masters = (await ground.masters()).toSorted().join(', ');
    if (this.#masters !== undefined && this.#masters !== masters)
      this.remarks.push(
        `the store failed over by itself ${when}, from ${this.#masters} to ${masters}: it may have lost data`,
      );
    this.#masters = masters;
  }
}
