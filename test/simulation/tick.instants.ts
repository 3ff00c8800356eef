import { EPOCH } from './simulated.machine.js';
import type { CallingInstance } from './calling.instance.js';
import { SeededDice } from './seeded.dice.js';
import type { JobPlan } from './tick.plan.js';
import type { World } from './world.js';

/** The longest way of an instant from its source to an instance, in ms. */
const LONGEST_WAY = 1500;

/** Instants that an application draws from a source of its own, such as a queue: each instance receives each of them, some time later. */
export class InstantQueue {
  readonly #dice: SeededDice;
  #isStopped = false;

  constructor(
    private readonly world: World,
    private readonly instance: CallingInstance,
    private readonly job: JobPlan,
    private readonly receive: (instant: number) => void,
  ) {
    this.#dice = new SeededDice(world.seed, `${instance.name} instants of ${job.name}`);
  }

  start(): void {
    this.#isStopped = false;
    this.#await();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #await(): void {
    const { period } = this.job;
    const next = (Math.floor(this.world.now / period) + 1) * period;
    this.world.at(this.instance.process, next, '', () => {
      if (this.#isStopped) return;
      this.#await();
      const way = this.#dice.chance(0.7) ? this.#dice.below(10) : this.#dice.below(LONGEST_WAY);
      this.world.after(this.instance.process, way, '', () => this.receive(EPOCH + next));
    });
  }
}
