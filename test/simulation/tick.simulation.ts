import { Logger } from '@nestjs/common';
import { prefixKey } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Violation } from './belief.js';
import type { CallerWatch } from './caller.loop.js';
import type { CallingInstance } from './calling.instance.js';
import { JobActs, type TickFleet } from './tick.acts.js';
import { SETTINGS } from './simulated.instance.js';
import { InstanceJobs } from './tick.instance.js';
import { TickJournal, type JournalWatch } from './tick.journal.js';
import type { TickPlan } from './tick.plan.js';
import { JobReader, type PartLosses, type TickStore } from './tick.store.js';
import { TickWatch } from './tick.watch.js';
import { WorkFailure } from './tick.work.js';
import type { World } from './world.js';

/** How long the jobs go on after the last fault, in ms: what the faults have left is settled by then. */
const CALM = 20_700;

/** How far from the instants of jobs they are turned off, in ms: a tick whose claim is under way would be handed over, and no job is on. */
const FROM_INSTANTS = 250;

/** What came of the jobs of a run. */
export interface TickCounts {
  /** Calls of jobs, by the schedulers of all instances. */
  readonly calls: number;
  /** Ticks that were run. */
  readonly ticks: number;
  /** Runs of ticks, and direct calls. */
  readonly runs: number;
  readonly acts: ReadonlyMap<string, number>;
}

/** What the jobs of a run are on. */
export interface TickPlace {
  readonly world: World;
  readonly watch: JobsWatch;
  readonly fleet: TickFleet;
  readonly store: TickStore;
  readonly plan: TickPlan;
  /** That of the watchdog, in ms. */
  readonly lease: number;
  /** Whether all records may vanish. */
  readonly losesAll: boolean;
  /** Where records may be lost in part. */
  readonly losses?: PartLosses;
}

/** Where the jobs report, and their holders believe. */
type JobsWatch = CallerWatch & JournalWatch & { readonly violations: readonly Violation[] };

/** The jobs of a fleet: each instance has all of them. */
export class TickSimulation {
  private readonly world: World;
  private readonly watch: JobsWatch;
  private readonly plan: TickPlan;
  private readonly fleet: TickFleet;
  /** Whether a failover may lose what an operator has done. */
  private readonly losesParts: boolean;
  readonly #reader: JobReader;
  readonly #journal: TickJournal;
  readonly #watch: TickWatch;
  readonly #acts: JobActs;
  readonly #instances = new Set<InstanceJobs>();
  #isEnding = false;

  constructor({ world, watch, fleet, store, plan, lease, losesAll, losses }: TickPlace) {
    this.world = world;
    this.watch = watch;
    this.plan = plan;
    this.fleet = fleet;
    this.losesParts = losses !== undefined;
    const { jobs, acts } = plan;
    this.#reader = new JobReader(world, store);
    this.#journal = new TickJournal(world, watch, this.#reader, this.losesParts);
    this.#watch = new TickWatch({
      world,
      watch,
      fleet,
      store,
      losses,
      lease,
      reader: this.#reader,
      journal: this.#journal,
      instances: this.#instances,
      plans: jobs,
    });
    this.#acts = new JobActs(
      {
        world,
        watch,
        fleet,
        store,
        journal: this.#journal,
        ticks: this.#watch,
        jobsOf: (instance) => this.#of(instance),
      },
      jobs,
    );
    this.#acts.plan(acts);
    if (losesAll) for (const { name } of jobs) this.#watch.mayLose(name);
    Logger.overrideLogger(new SchedulerLog((error) => this.#logged(error)));
  }

  get counts(): TickCounts {
    const ticks = this.plan.jobs.map(
      ({ name }) => new Set(this.#journal.of(name).map(({ lock }) => lock.tick)).size,
    );
    return {
      calls: this.#journal.calls,
      ticks: ticks.reduce((sum, count) => sum + count, 0),
      runs: this.#journal.runs.length,
      acts: this.#acts.counts,
    };
  }

  /** An instance has started. @returns its jobs */
  started(instance: CallingInstance, service: LockService): InstanceJobs {
    const place = {
      world: this.world,
      watch: this.watch,
      journal: this.#journal,
      isEnding: () => this.#isEnding,
    };
    const jobs = new InstanceJobs(place, instance, service, this.plan.jobs);
    this.#instances.add(jobs);
    return jobs;
  }

  /** To be called after each event. */
  check(): void {
    if (this.watch.violations.length === 0) this.#watch.check();
  }

  /** There are no more faults: what they have left is settled, and then the jobs are turned off. */
  rest(): void {
    const { world } = this;
    this.#isEnding = true;
    this.#watch.calmFrom = world.now;
    this.#acts.resumeAll();
    // The last failover may have lost that a job was resumed: its operator finds it paused.
    if (this.losesParts)
      world.at(world.outside, Math.max(world.now, this.fleet.lastTrouble), 'jobs are resumed again', () =>
        this.#acts.resumeAll(),
      );
    world.after(world.outside, CALM, '', () => this.#turnOff());
  }

  #turnOff(): void {
    const { world } = this;
    // Ticks follow the clock of the store, which may have been set.
    const past = this.#reader.storeNow % 1000;
    if (past < FROM_INSTANTS || past > 1000 - FROM_INSTANTS) {
      world.after(world.outside, 2 * FROM_INSTANTS, '', () => this.#turnOff());
      return;
    }
    world.note('the jobs are turned off');
    for (const jobs of this.#instances)
      if (jobs.instance.isLive)
        world.as(jobs.instance.process, () => {
          for (const { name } of this.plan.jobs) jobs.turnOff(name);
        });
  }

  /** All runs are over. */
  finish(): void {
    if (this.watch.violations.length === 0) this.#watch.finish();
  }

  /** Whether the docs name a key of the store: the record of a job and its rows stay. */
  isNamed(key: string): boolean {
    if (key === prefixKey(SETTINGS.namePrefix, 'job_list')) return true;
    return this.plan.jobs.some(({ name }) => {
      const { record, runs } = this.#reader.keysOf(name);
      return key === record || key === runs;
    });
  }

  #of(instance: CallingInstance): InstanceJobs | undefined {
    return [...this.#instances].find((jobs) => jobs.instance === instance);
  }

  /** The error log of the scheduler: a job's own failures, and nothing of ticks that do not run here. */
  #logged(error: unknown): void {
    if (error instanceof WorkFailure) return;
    this.watch.report('error', `the scheduler logs ${String(error)}`);
  }
}

/** In the place of Nest's logger. */
class SchedulerLog {
  constructor(readonly error: (message: unknown) => void) {}

  log(): void {
    // Only errors are of interest.
  }

  warn(): void {
    // The notices of the library are in the trace.
  }
}
