import type { ScheduledTick } from '../metadata/schedule.fires.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import { criticalSection } from '../locks/critical.section.js';
import type { LockService } from '../service/lock.service.js';

/** A `@Timeout` without `minInterval`: every instance runs it, each in its turn under the plain lock. */
export class SequentialTick implements ScheduledTick {
  readonly #leaving = new AbortController();

  constructor(
    private readonly locks: LockService,
    private readonly job: string,
  ) {}

  async run(work: Parameters<ScheduledTick['run']>[0]): Promise<unknown> {
    const { signal } = this.#leaving;
    const granted = this.locks.getLock(this.job).lock({ waitTime: Infinity, signal });
    return await criticalSection(
      granted,
      (handle) => work(handle),
      'signal',
      (error) => this.#leave(error),
    );
  }

  /** Calls that still wait for their turn leave the queue. */
  close(): void {
    this.#leaving.abort();
  }

  /** The turn of the call does not come. */
  #leave(error: unknown): void {
    if (this.#leaving.signal.aborted) return;
    if (!(error instanceof LockUnavailableError)) throw error;
    const { notices } = this.locks.engine.context;
    notices.post({ kind: 'tick-unclaimed', lock: this.job, tick: undefined, error });
  }
}
