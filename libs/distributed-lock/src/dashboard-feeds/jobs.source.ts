import type { JobStatus, ListedJob } from '../contracts/job.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import type {
  DashboardInstance,
  DashboardJob,
  DashboardLeadership,
  DashboardTick,
  JobsEvent,
} from './dashboard.model.js';
import type { FeedSource } from './feed.js';
import type { InstanceCache } from './instance.cache.js';
import { STRIP } from './job.source.js';
import { jobOf, stripOf } from './model.views.js';
import { isToRepeat, storeTime } from './store.time.js';

/** The most jobs that a page shows. */
const MOST = 1000;

/** The records of so many jobs are read at the same time. */
const ABREAST = 50;

/** Views, and the JSON of each, by which a change is found. */
type Views<T> = ReadonlyMap<string, { readonly view: T; readonly json: string }>;

/** The state of the pages of jobs, instances and leaders. */
interface FleetState {
  readonly at: number;
  /** By name. */
  readonly jobs: Views<DashboardJob>;
  /** By id. */
  readonly instances: Views<DashboardInstance>;
  readonly leaderships: readonly DashboardLeadership[];
  readonly isCut: boolean;
}

/** All jobs of the fleet, its instances and its leaders. */
export class JobsSource implements FeedSource<FleetState> {
  readonly event = 'jobs';
  /** The records of a job are read again when its state has changed. */
  readonly #strips = new Map<string, { readonly state: string; readonly strip: DashboardTick[] }>();

  constructor(
    private readonly locks: LockService,
    private readonly instances: InstanceCache,
  ) {}

  async read(): Promise<FleetState> {
    const [listed, known] = await Promise.all([
      this.locks.jobs.list({ limit: MOST + 1 }),
      this.instances.read(),
    ]);
    const shown = listed.slice(0, MOST);
    await this.#readStrips(shown);
    const jobs = shown.map((job) => jobOf(job.job, job, this.#strips.get(job.job)?.strip ?? [], known));
    return {
      at: storeTime(this.locks),
      jobs: viewsOf(jobs, ({ name }) => name),
      instances: viewsOf(known.all, ({ id }) => id),
      leaderships: known.leaderships,
      isCut: listed.length > MOST,
    };
  }

  whole({ at, jobs, instances, leaderships, isCut }: FleetState): JobsEvent {
    return {
      ...{ at, isWhole: true, gone: [], goneInstances: [], leaderships, isCut },
      jobs: [...jobs.values()].map(({ view }) => view),
      instances: [...instances.values()].map(({ view }) => view),
    };
  }

  changes(before: FleetState, state: FleetState): JobsEvent | undefined {
    const { at, leaderships, isCut } = state;
    const jobs = changesOf(before.jobs, state.jobs);
    const instances = changesOf(before.instances, state.instances);
    const hasChanged =
      [jobs.changed, jobs.gone, instances.changed, instances.gone].some((list) => list.length > 0) ||
      before.isCut !== isCut ||
      JSON.stringify(before.leaderships) !== JSON.stringify(leaderships);
    if (!hasChanged && !isToRepeat(before.at, at)) return undefined;
    return {
      ...{ at, isWhole: false, leaderships, isCut },
      ...{ jobs: jobs.changed, gone: jobs.gone },
      ...{ instances: instances.changed, goneInstances: instances.gone },
    };
  }

  async #readStrips(jobs: readonly ListedJob[]): Promise<void> {
    const names = new Set(jobs.map(({ job }) => job));
    for (const name of this.#strips.keys()) if (!names.has(name)) this.#strips.delete(name);
    const stale = jobs
      .map((job) => ({ name: job.job, state: stateOf(job) }))
      .filter(({ name, state }) => this.#strips.get(name)?.state !== state);
    for (let at = 0; at < stale.length; at += ABREAST)
      await Promise.all(
        stale.slice(at, at + ABREAST).map(async ({ name, state }) => {
          this.#strips.set(name, { state, strip: await this.#stripOf(name) });
        }),
      );
  }

  /** None of a job whose name this application uses for a lock of another kind. */
  async #stripOf(job: string): Promise<DashboardTick[]> {
    try {
      return stripOf(await this.locks.getRuns(job, { limit: STRIP }));
    } catch (error) {
      if (error instanceof LockConfigurationError) return [];
      throw error;
    }
  }
}

function viewsOf<T>(views: readonly T[], keyOf: (view: T) => string): Views<T> {
  return new Map(views.map((view) => [keyOf(view), { view, json: JSON.stringify(view) }]));
}

function changesOf<T>(before: Views<T>, after: Views<T>): { changed: T[]; gone: string[] } {
  const changed = [...after].filter(([key, { json }]) => before.get(key)?.json !== json);
  return {
    changed: changed.map(([, { view }]) => view),
    gone: [...before.keys()].filter((key) => !after.has(key)),
  };
}

/** Changes with each record. */
function stateOf({ mark, counts, running, lastRun, paused, queued }: JobStatus): string {
  return JSON.stringify([mark, counts, running, lastRun, paused, queued]);
}
