import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import type { JobEvent } from './dashboard.model.js';
import type { FeedSource } from './feed.js';
import type { InstanceReader } from './instance.reader.js';
import { jobOf, runOf, stripOf } from './model.views.js';
import { isToRepeat, storeTime } from './store.time.js';

/** One job and its records. */
export class JobSource implements FeedSource<JobEvent> {
  readonly event = 'job';

  constructor(
    private readonly locks: LockService,
    private readonly instances: InstanceReader,
    private readonly name: string,
  ) {}

  async read(): Promise<JobEvent> {
    try {
      const [status, records, known] = await Promise.all([
        this.locks.jobs.status(this.name),
        this.locks.getRuns(this.name),
        this.instances.read(),
      ]);
      const at = storeTime(this.locks);
      if (status === undefined) return { at, job: null, runs: [] };
      return { at, job: jobOf(this.name, status, stripOf(records), known), runs: records.map(runOf) };
    } catch (error) {
      // This application uses the name for a lock of another kind.
      if (error instanceof LockConfigurationError) return { at: storeTime(this.locks), job: null, runs: [] };
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
