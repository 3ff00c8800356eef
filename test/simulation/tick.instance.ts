import { Logger } from '@nestjs/common';
import { DistributedLock } from '../../libs/distributed-lock/src/decorators/distributed-lock.decorator.js';
import { bindService } from '../../libs/distributed-lock/src/decorators/service.property.js';
import { guardOf } from '../../libs/distributed-lock/src/metadata/guard.registry.js';
import { directCall } from '../../libs/distributed-lock/src/metadata/schedule.fires.js';
import type { ScheduledMethod } from '../../libs/distributed-lock/src/nest-schedule/scheduled.method.js';
import { CronMethod } from '../../libs/distributed-lock/src/scheduled-methods/cron.method.js';
import { TickFactory } from '../../libs/distributed-lock/src/scheduled-methods/tick.factory.js';
import type { TimerMethod } from '../../libs/distributed-lock/src/scheduled-methods/timer.method.js';
import { LockUnavailableError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { CallingInstance } from './calling.instance.js';
import { SeededDice } from './seeded.dice.js';
import { AlarmFaults, SimulatedCronJob, SimulatedTimer } from './tick.alarms.js';
import { InstantQueue } from './tick.instants.js';
import type { TickJournal } from './tick.journal.js';
import type { JobPlan } from './tick.plan.js';
import { JobWork, type WorkPlace } from './tick.work.js';

/** The alarms of one job on one instance. */
interface Alarms {
  start(): void;
  stop(): void;
}

/** A job as it is on one instance. */
interface OwnJob {
  readonly plan: JobPlan;
  readonly alarms: Alarms;
  readonly isOn: () => boolean;
  /** A call of the application's own. */
  readonly call: () => Promise<unknown>;
}

/** The jobs of one instance: guarded methods, with the library's code for scheduled methods between them and their alarms. */
export class InstanceJobs {
  readonly #factory: TickFactory;
  readonly #jobs = new Map<string, OwnJob>();
  #isClosed = false;

  constructor(
    private readonly place: WorkPlace,
    readonly instance: CallingInstance,
    readonly service: LockService,
    plans: readonly JobPlan[],
  ) {
    this.#factory = new TickFactory(service);
    for (const plan of plans) this.#jobs.set(plan.name, this.#make(plan));
    for (const { alarms } of this.#jobs.values()) alarms.start();
  }

  /** Whether its ticks run here now. */
  isOn(job: string): boolean {
    return !this.#isClosed && (this.#jobs.get(job)?.isOn() ?? false);
  }

  /** As by `job.stop()`. */
  turnOff(job: string): void {
    this.#jobs.get(job)?.alarms.stop();
  }

  /** As by `job.start()`. */
  turnOn(job: string): void {
    if (!this.#isClosed) this.#jobs.get(job)?.alarms.start();
  }

  /** A call of the method by the application. */
  async call(job: string): Promise<void> {
    await directCall(async () => this.#jobs.get(job)?.call());
  }

  /** As the hooks of the application do before its shutdown. */
  close(): void {
    this.#isClosed = true;
    const { service } = this;
    service.beginShutdown();
    service.refuseTicks();
    this.#factory.close();
  }

  #make(plan: JobPlan): OwnJob {
    const work = new JobWork(this.place, this.instance, plan);
    const { world } = this.place;
    const faults = new AlarmFaults(
      new SeededDice(world.seed, `${this.instance.name} alarms of ${plan.name}`),
      this.place.isEnding,
    );
    if (plan.kind === 'once') return this.#once(plan, work);
    const { method, call } = this.#guarded(plan, work);
    const made = this.#factory.make(method, false);
    // Nest's scheduler logs the errors of what it calls.
    const target = () => call().catch((error: unknown) => new Logger('Scheduler').error(error));
    const { journal } = this.place;
    return made instanceof CronMethod
      ? followCron({ plan, made, faults, journal, target, call })
      : followTimer({ plan, made, faults, journal, target, call });
  }

  #once(plan: JobPlan, work: JobWork): OwnJob {
    const { service } = this;
    const alarms = new InstantQueue(this.place.world, this.instance, plan, (instant) => {
      this.place.journal.calls += 1;
      // An instance that shuts down, or does not reach the store, runs nothing.
      service.runOnce(plan.name, instant, work.run).catch((error: unknown) => {
        if (!(error instanceof LockUnavailableError)) new Logger('Scheduler').error(error);
      });
    });
    const call = () => service.getLock(plan.name).using(work.run, { waitTime: 0 });
    return { plan, alarms, isOn: () => false, call };
  }

  /** A class of its own for each instance: as in processes of their own, they share no guard. */
  #guarded(
    { name, kind, period, options }: JobPlan,
    work: JobWork,
  ): { readonly method: ScheduledMethod; readonly call: () => Promise<void> } {
    class Job {
      async run(): Promise<void> {
        await work.run();
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Job.prototype, 'run') as TypedPropertyDescriptor<
      Job['run']
    >;
    DistributedLock(name, options)(Job.prototype, 'run', descriptor);
    Object.defineProperty(Job.prototype, 'run', descriptor);
    const guard = guardOf(Job.prototype.run);
    if (guard === undefined) throw new Error(`${name} has no guard`);
    const instance = new Job();
    bindService(instance, undefined, this.service);
    const schedule =
      kind === 'cron'
        ? ({ kind: 'cron', isDate: false, runOnInit: false, waitsForCompletion: false } as const)
        : ({ kind: kind === 'interval' ? 'interval' : 'timeout', ms: period } as const);
    const where = `Job.run of ${name}`;
    const method = { instance, guard, method: Job.prototype.run, where, job: name, options, schedule };
    return { method, call: () => instance.run() };
  }
}

/** The parts of a job that is followed. */
interface FollowParts<T> {
  readonly plan: JobPlan;
  readonly made: T;
  readonly faults: AlarmFaults;
  readonly journal: TickJournal;
  readonly target: () => Promise<unknown>;
  readonly call: () => Promise<unknown>;
}

/** As `JobMounter` does where the scheduler makes its cron jobs. */
function followCron({ plan, made, faults, journal, target, call }: FollowParts<CronMethod>): OwnJob {
  const job: SimulatedCronJob = new SimulatedCronJob(plan, faults, async () => {
    journal.calls += 1;
    await made.fire(job, target);
  });
  made.follow(job);
  return { plan, alarms: job, isOn: () => made.isOn, call };
}

function followTimer({ plan, made, faults, journal, target, call }: FollowParts<TimerMethod>): OwnJob {
  const timer = new SimulatedTimer(plan, faults, async () => {
    journal.calls += 1;
    await made.fire(target);
  });
  made.follow({ name: plan.name, entry: timer.entry, registry: timer });
  return { plan, alarms: timer, isOn: () => made.isOn, call };
}
