import type { Lock } from '../contracts/lock.contract.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import type { LockSettings } from '../contracts/settings.js';
import type { LockEngine } from '../locks/lock.engine.js';
import { ReentrantLock } from '../locks/reentrant.lock.js';
import { shutDown } from '../locks/lock.shutdown.js';
import type { TickRunner } from '../locks/tick.runner.js';

/** The locks of one module instance. Inject it, or let the decorators find it. */
export class LockService {
  constructor(
    /** @internal What the doors reach through. */
    readonly engine: LockEngine,
    /** @internal */
    readonly ticks: TickRunner,
    private readonly disconnect: () => Promise<void>,
  ) {}

  /** @internal The options as they are in force. */
  get settings(): LockSettings {
    return this.engine.context.settings;
  }

  /** @internal The server still drains its requests: locks are granted and renewed, but no new tick is begun. */
  refuseTicks(): void {
    this.ticks.refuse();
  }

  /**
   * @internal Waits for running work, up to `shutdownTimeout`, then aborts it; frees what is still held; closes the
   * connections that were made for this service.
   */
  async shutDown(): Promise<void> {
    this.ticks.refuse();
    await shutDown(this.engine);
    await this.disconnect();
  }

  /**
   * The re-entrant lock of that name.
   * @throws LockConfigurationError `INVALID_NAME` for an empty name, one above 1024 characters, or one with NUL
   */
  getLock(name: string): Lock {
    return new ReentrantLock(this.engine, this.engine.names(name));
  }

  /**
   * Runs `work` once in the fleet for `instant` of `job`: for schedules that are not decorated methods.
   * Instants of a job must rise; one at or below the last is not run.
   * @param instant epoch ms, or a Date
   * @returns the work's result, or undefined when the instant was taken or the job's lock is held
   */
  runOnce<T>(job: string, instant: number | Date, work: () => T | PromiseLike<T>): Promise<T | undefined> {
    return this.ticks.runInstant(job, Number(instant), work);
  }

  /** The newest 50 rows of a job's record, newest first: its runs, and the ticks that were not run, with the reason. */
  getRuns(job: string): Promise<TickRecord[]> {
    return this.ticks.records(job);
  }
}
