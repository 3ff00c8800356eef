import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import type { JobEvent } from './dashboard.model.js';
import type { FeedSource } from './feed.js';
import type { InstanceCache } from './instance.cache.js';
import { jobOf, runOf, stripOf } from './model.views.js';
import { isToRepeat, storeTime } from './store.time.js';

/** The newest ticks in the strip of a job. */
export const STRIP = 50;

/** The most records of a job that a page shows. */
export const MOST_RECORDS = 1000;

/** One job and its newest records. */
export class JobSource implements FeedSource<JobEvent> {
  readonly event = 'job';

  constructor(
    private readonly locks: LockService,
    private readonly instances: InstanceCache,
    private readonly name: string,
    private readonly most: number,
  ) {}

  async read(): Promise<JobEvent> {
    try {
      const [status, records, known] = await Promise.all([
        this.locks.jobs.status(this.name),
        // One more than is shown says whether there are more.
        this.locks.getRuns(this.name, { limit: this.most + 1 }),
        this.instances.read(),
      ]);
      const at = storeTime(this.locks);
      if (status === undefined) return noJob(at);
      return {
        at,
        job: jobOf(this.name, status, stripOf(records.slice(0, STRIP)), known),
        runs: records.slice(0, this.most).map(runOf),
        isCut: records.length > this.most,
      };
    } catch (error) {
      // This application uses the name for a lock of another kind.
      if (error instanceof LockConfigurationError) return noJob(storeTime(this.locks));
      throw error;
    }
  }

  whole(state: JobEvent): JobEvent {
    return state;
  }

  changes({ at: was, ...before }: JobEvent, { at, ...state }: JobEvent): JobEvent | undefined {
    const isSame = JSON.stringify(before) === JSON.stringify(state);
    return isSame && !isToRepeat(was, at) ? undefined : { at, ...state };
  }
}

function noJob(at: number): JobEvent {
  return { at, job: null, runs: [], isCut: false };
}
