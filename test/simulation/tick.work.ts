import type { CurrentLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import type { Belief } from './belief.js';
import type { CallerWatch } from './caller.loop.js';
import type { CallingInstance } from './calling.instance.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS } from './simulated.instance.js';
import type { JournalRun, TickJournal } from './tick.journal.js';
import type { JobPlan } from './tick.plan.js';
import type { World } from './world.js';

/** The error of a job's own work. */
export class WorkFailure extends Error {
  override readonly name = 'WorkFailure';
}

/** How long after `maxHold` its signal must be aborted, in ms. */
const MAX_HOLD_SLACK = 20;

/** What the work of jobs needs. */
export interface WorkPlace {
  readonly world: World;
  readonly watch: CallerWatch;
  readonly journal: TickJournal;
  /** Whether work is short from now on, so that the run of the simulation comes to its end. */
  readonly isEnding: () => boolean;
}

/** The work of one job on one instance: it takes its time, heeds its signal or not, and may fail. */
export class JobWork {
  readonly #dice: SeededDice;

  constructor(
    private readonly place: WorkPlace,
    private readonly instance: CallingInstance,
    private readonly job: JobPlan,
  ) {
    this.#dice = new SeededDice(place.world.seed, `${instance.name} work of ${job.name}`);
  }

  /** The body of the job's method. */
  readonly run = async (): Promise<void> => {
    const { journal, watch } = this.place;
    const lock = currentLock();
    if (lock === undefined) {
      watch.report('begun', `${this.instance.name} began ${this.job.name} without a lock`);
      return;
    }
    const run = journal.begin(this.job, this.instance, lock);
    const belief = this.#beliefIn(lock);
    // A run that is over its maxHold leaves its lease to end.
    if (belief.isRenewed) watch.begin(belief);
    else watch.beliefs.add(belief);
    let how: 'returned' | 'threw' = 'threw';
    try {
      this.#watchMaxHold(run);
      await this.#work(lock);
      how = 'returned';
    } finally {
      journal.end(run, how);
      if (belief.isRenewed) watch.end(belief);
      else watch.beliefs.delete(belief);
    }
  };

  #beliefIn(lock: CurrentLock): Belief {
    const { instance, job } = this;
    const handle = {
      holder: lock.holder,
      // The journal has its own rule for tokens: they begin anew with the record.
      token: undefined,
      get isHeld() {
        return lock.isHeld;
      },
    };
    const isRenewed = job.options.maxHold === undefined;
    return { instance, key: SETTINGS.mapName(job.name), sharing: 'alone', handle, isRenewed };
  }

  async #work(lock: CurrentLock): Promise<void> {
    const [length, size, heeds, fails] = Array.from({ length: 4 }, this.#dice.fraction);
    const duration = this.#durationOf(length ?? 0, size ?? 0);
    const heedsSignal = (heeds ?? 0) < 0.6;
    await this.#pause(duration, heedsSignal ? lock.signal : undefined);
    if (heedsSignal && lock.signal.aborted) throw new WorkFailure('aborted');
    if ((fails ?? 0) < 0.1) throw new WorkFailure('failed');
  }

  #durationOf(length: number, size: number): number {
    if (length < 0.5 || this.place.isEnding()) return 40 * size;
    return length < 0.9 ? 40 + 1.5 * this.job.period * size : 3000 + 4000 * size;
  }

  #pause(duration: number, signal: AbortSignal | undefined): Promise<void> {
    const { world } = this.place;
    return new Promise((resolve) => {
      world.after(this.instance.process, duration, '', resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** The signal of a tick aborts when it has run for so long. */
  #watchMaxHold(run: JournalRun): void {
    const { maxHold } = this.job.options;
    const { world, watch } = this.place;
    if (maxHold === undefined || run.lock.tick === undefined || this.job.kind === 'once') return;
    world.after(this.instance.process, maxHold, '', () =>
      // A process that was stopped has its own timers first.
      world.after(this.instance.process, MAX_HOLD_SLACK, '', () => {
        if (run.end === undefined && !run.lock.signal.aborted)
          watch.report('maxHold', `${this.job.name} runs on ${this.instance.name} after its maxHold`);
      }),
    );
  }
}
