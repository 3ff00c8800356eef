import type { CronJobLike } from '../../libs/distributed-lock/src/instants/cron.job.port.js';
import type { CronTimeLike } from '../../libs/distributed-lock/src/instants/schedule.instants.js';
import type {
  MountEntry,
  RegistryLike,
} from '../../libs/distributed-lock/src/nest-schedule/scheduler.finder.js';
import { machine } from '../../libs/distributed-lock/src/timing/machine.js';
import type { SeededDice } from './seeded.dice.js';
import type { JobPlan } from './tick.plan.js';

/** A cron expression of every so many seconds, which divide a minute. cron itself would ask the clock of this machine. */
export function everySeconds(period: number): CronTimeLike {
  return {
    source: `*/${period / 1000} * * * * *`,
    utcOffset: 0,
    getNextDateFrom: (start) => {
      const next = instantAfter(start.getTime(), period);
      return { toMillis: () => next };
    },
  };
}

function instantAfter(at: number, period: number): number {
  return (Math.floor(at / period) + 1) * period;
}

/** How an alarm comes: `by` ms after its moment, or not at all. */
type Arrival = { readonly by: number } | 'missed';

/** The alarms of one job on one instance: they come early, late or not at all, as long as there are faults. */
export class AlarmFaults {
  constructor(
    private readonly dice: SeededDice,
    private readonly isOver: () => boolean,
  ) {}

  draw(): Arrival {
    const kind = this.dice.fraction();
    const size = this.dice.fraction();
    if (kind < 0.5 || this.isOver()) return { by: size * 2 };
    if (kind < 0.7) return { by: -20 * size };
    if (kind < 0.92) return { by: 120 * size };
    return kind < 0.97 ? { by: 3000 * size } : 'missed';
  }
}

/** A job of the scheduler, with the timers of cron's own `CronJob` on the simulated clock. */
export class SimulatedCronJob implements CronJobLike {
  readonly cronTime: CronTimeLike;
  readonly waitForCompletion: boolean;
  readonly #period: number;
  isActive = false;
  #lastDate: object | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;

  constructor(
    plan: JobPlan,
    private readonly faults: AlarmFaults,
    private readonly callback: () => Promise<unknown>,
  ) {
    this.#period = plan.period;
    this.waitForCompletion = plan.waitForCompletion;
    this.cronTime = everySeconds(plan.period);
  }

  lastDate(): object | undefined {
    return this.#lastDate;
  }

  start(): void {
    if (this.isActive) return;
    this.isActive = true;
    const now = machine.global.Date.now();
    this.#await(instantAfter(now, this.#period));
  }

  stop(): void {
    machine.global.clearTimeout(this.#timer);
    this.isActive = false;
  }

  async fireOnTick(): Promise<void> {
    if (this.waitForCompletion && this.#isRunning) return;
    this.#isRunning = true;
    const done = this.callback();
    if (this.waitForCompletion) await done;
    this.#isRunning = false;
  }

  #await(instant: number): void {
    const arrival = this.faults.draw();
    const left = instant - machine.global.Date.now();
    const delay = arrival === 'missed' ? left : left + arrival.by;
    this.#timer = machine.global.setTimeout(() => {
      // A clock that was set back meanwhile: as cron, it waits on.
      const wait = instant - machine.global.Date.now();
      if (wait > 50) return this.#await(instantAfter(machine.global.Date.now(), this.#period));
      this.isActive = false;
      if (arrival !== 'missed') this.#lastDate = {};
      this.#restart(instant);
      if (arrival !== 'missed') void this.fireOnTick();
    }, delay);
  }

  /** An early alarm is not followed by another one for the same instant. */
  #restart(instant: number): void {
    const wait = instant - machine.global.Date.now();
    if (wait <= 0) return this.start();
    this.isActive = true;
    this.#await(instant + this.#period);
  }
}

/** The timers of an `@Interval` or `@Timeout`, and the scheduler's registry that has them. */
export class SimulatedTimer implements RegistryLike {
  readonly entry: MountEntry;
  #isOver = false;

  constructor(
    private readonly plan: JobPlan,
    private readonly faults: AlarmFaults,
    private readonly callback: () => Promise<unknown>,
  ) {
    this.entry = { target: callback, timeout: plan.period, ref: this };
  }

  start(): void {
    const arrival = this.faults.draw();
    machine.global.setTimeout(
      () => {
        if (this.#isOver) return;
        if (this.plan.kind === 'interval') this.start();
        if (arrival !== 'missed') void this.callback();
      },
      this.plan.period + (arrival === 'missed' ? 0 : arrival.by),
    );
  }

  /** As by `clearInterval`, and deleted from the registry. */
  stop(): void {
    this.#isOver = true;
  }

  doesExist(): boolean {
    return !this.#isOver;
  }

  getInterval(): this {
    return this;
  }

  getTimeout(): this {
    return this;
  }

  addCronJob(): void {
    // It has timers only.
  }

  getCronJobs(): ReadonlyMap<string, CronJobLike> {
    return new Map();
  }
}
