import { DistributedLockError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { CallingInstance } from './calling.instance.js';
import type { InstanceJobs } from './tick.instance.js';
import type { JobAct, JobPlan } from './tick.plan.js';
import type { TickJournal } from './tick.journal.js';
import type { TickStore } from './tick.store.js';
import type { TickWatch } from './tick.watch.js';
import { WorkFailure } from './tick.work.js';
import type { World } from './world.js';

/** An instance of a fleet, which may not have opened yet. */
interface FleetInstance extends CallingInstance {
  readonly service: LockService | undefined;
}

/** The instances of a run, on any topology. */
export interface TickFleet {
  readonly live: readonly FleetInstance[];
  at(place: number): FleetInstance | undefined;
  /** The moment at which the last fault of any instance ended. */
  readonly lastTrouble: number;
}

/** How long after a requested run began its caller has the answer, in ms: a second without messages, and two calls. */
const ANSWERED = 3000;

/** What acts are done with. */
export interface ActPlace {
  readonly world: World;
  readonly watch: { report(rule: string, what: string): void };
  readonly fleet: TickFleet;
  readonly store: TickStore;
  readonly journal: TickJournal;
  readonly ticks: TickWatch;
  readonly jobsOf: (instance: CallingInstance) => InstanceJobs | undefined;
}

/** An instance that does something. */
interface ActingInstance {
  readonly instance: CallingInstance;
  readonly service: LockService;
}

/** Does what a plan says: operators steer jobs, applications call their methods, platforms shut instances down. */
export class JobActs {
  /** How often each kind of act happened. */
  readonly counts = new Map<string, number>();
  /** By job: the requests that wait, and how many there were. */
  readonly #requests = new Map<string, { waiting: number; made: number }>();

  constructor(
    private readonly place: ActPlace,
    private readonly jobs: readonly JobPlan[],
  ) {}

  plan(acts: readonly JobAct[]): void {
    const { world } = this.place;
    for (const act of acts)
      world.at(world.outside, act.at, `act: ${act.kind} of ${act.job} by i${act.target} ${act.size}`, () =>
        this.#apply(act),
      );
  }

  /** Lets paused jobs go on, from one instance, as often as it takes. */
  resumeAll(): void {
    for (const { name } of this.jobs) this.#resume(name);
  }

  #apply(act: JobAct): void {
    const { world, fleet } = this.place;
    const job = this.jobs.find(({ name }) => name === act.job);
    const instance = fleet.at(act.target);
    if (job === undefined || instance === undefined || !instance.isLive) return;
    this.counts.set(act.kind, (this.counts.get(act.kind) ?? 0) + 1);
    const { service } = instance;
    if (service !== undefined)
      world.after(instance.process, 0, '', () => this.#do(act, job, { instance, service }));
  }

  #do({ kind, size }: JobAct, job: JobPlan, { instance, service }: ActingInstance): void {
    const { world, store, ticks } = this.place;
    const own = this.place.jobsOf(instance);
    switch (kind) {
      case 'pause':
        this.#expect(service.jobs.pause(job.name));
        world.after(world.outside, size, '', () => this.#resume(job.name));
        return;
      case 'runNow':
        this.#runNow(job, service, size);
        return;
      case 'forget':
        // The call of an instance that dies may still arrive.
        ticks.mayLose(job.name);
        this.#expect(service.jobs.forget(job.name, { force: size === 1 }));
        return;
      case 'direct call':
        if (own !== undefined) this.#expect(own.call(job.name));
        return;
      case 'turn off':
        if (job.kind !== 'cron') return;
        own?.turnOff(job.name);
        world.after(instance.process, size, '', () => own?.turnOn(job.name));
        return;
      case 'step store clock':
        store.process.wallOffset += size;
    }
  }

  /** Asked until it is answered. */
  #resume(job: string): void {
    const { world, fleet } = this.place;
    const instance = fleet.live.find(({ isRunning, service }) => isRunning && service !== undefined);
    const again = () => world.after(world.outside, 500, '', () => this.#resume(job));
    const service = instance?.service;
    if (instance === undefined || service === undefined) {
      again();
      return;
    }
    let isAnswered = false;
    world.as(instance.process, () => {
      this.#expect(
        service.jobs.resume(job).finally(() => {
          isAnswered = true;
        }),
        again,
      );
    });
    // The instance may die meanwhile.
    world.after(world.outside, 5000, '', () => {
      if (!isAnswered && !instance.isLive) this.#resume(job);
    });
  }

  #runNow({ name, kind }: JobPlan, service: LockService, timeout: number): void {
    if (kind === 'once') return;
    const { world, watch, journal, ticks } = this.place;
    const from = world.now;
    const era = journal.eraOf(name);
    const requests = this.#requests.get(name) ?? { waiting: 0, made: 0 };
    this.#requests.set(name, requests);
    const [othersWait, before] = [requests.waiting > 0, (requests.made += 1)];
    requests.waiting += 1;
    const asked = service.jobs.runNow(name, { timeout }).finally(() => (requests.waiting -= 1));
    const done = asked.then((isRun) => {
      // A request needs some calls before it is made: the run of an earlier one may begin meanwhile.
      const isAlone = !othersWait && requests.made === before;
      const begun = journal.of(name).filter((run) => run.requestedBy !== undefined && run.begin >= from);
      // A later attempt may be one of an earlier request.
      const isNew = begun.some(({ lock }) => lock.attempt === 1);
      const isCalm = ticks.lastTrouble < from && era === journal.eraOf(name);
      if (!isCalm) return;
      if (isRun && begun.length === 0) watch.report('runNow', `${name} is said to run, and does not`);
      if (!isRun && isNew && isAlone) watch.report('runNow', `${name} runs, and is said not to`);
      const late = world.now - (begun.at(-1)?.begin ?? world.now);
      if (isRun && late > ANSWERED)
        watch.report('runNow', `${name} is said to run after ${Math.round(late)} ms`);
    });
    this.#expect(done);
  }

  #expect(call: Promise<unknown>, refused: () => void = () => undefined): void {
    call.catch((error: unknown) => {
      if (error instanceof DistributedLockError) refused();
      else if (!(error instanceof WorkFailure)) this.place.watch.report('error', String(error));
    });
  }
}
