import type { LockContext } from '../core/lock.context.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { MOST_LISTED, type JobEntry, type JobListScripts } from './job.list.scripts.js';

/** Entries of one call. */
const BATCH = 500;

/** The most jobs of this process that are listed again: of `runOnce()` with ever new names the newest ones. */
const OWN = 10_000;

/** Jobs that are registered within this time are listed together, in ms. */
const MOMENT = 20;

/** A tick lists all jobs of this process again when this time has passed, in ms: the list may have been lost. */
const PERIOD = 60_000;

/** The list of all jobs of a `namePrefix`: each instance keeps its own jobs in it. A job runs whether or not it is listed. */
export class JobIndex {
  /** By name. */
  readonly #own = new Map<string, JobEntry>();
  readonly #fresh = new Map<string, JobEntry>();
  readonly #timer: Timer;
  #isSet = false;
  #isRefused = false;
  #isClosed = false;
  /** When all jobs of this process are listed again. */
  #dueAt = now() + PERIOD;

  constructor(
    private readonly context: Pick<LockContext, 'notices' | 'outside' | 'wheel'>,
    private readonly scripts: JobListScripts,
  ) {
    this.#timer = context.wheel.background(() => context.outside(() => void this.listFresh()));
  }

  /** A job of this process is registered, or claims a tick. */
  add(entry: JobEntry): void {
    if (this.#isClosed) return;
    if (!this.#own.has(entry.job)) {
      if (this.#own.size >= OWN) this.#own.delete(this.#own.keys().next().value ?? '');
      this.#own.set(entry.job, entry);
      this.#fresh.set(entry.job, entry);
    } else if (now() < this.#dueAt) return;
    if (this.#isSet) return;
    this.#isSet = true;
    this.context.wheel.set(this.#timer, now() + MOMENT);
  }

  /** The job does not belong to this process any more: other processes may have it. */
  leave(job: string): void {
    this.#own.delete(job);
    this.#fresh.delete(job);
  }

  /** The record of a job was deleted. A process that has the job lists it again with its next tick. */
  async remove(entry: JobEntry): Promise<void> {
    this.leave(entry.job);
    try {
      await this.scripts.delist(entry);
    } catch {
      // A job without a record is removed by the next reader of the list.
    }
  }

  /** Lists what is not listed yet: a process finds its own jobs from their registration on. */
  async listFresh(): Promise<void> {
    this.#isSet = false;
    const isDue = now() >= this.#dueAt;
    if (isDue) this.#dueAt = now() + PERIOD;
    const entries = [...(isDue ? this.#own : this.#fresh).values()];
    this.#fresh.clear();
    try {
      for (let at = 0; at < entries.length; at += BATCH) {
        const isListed = await this.scripts.enlist(entries.slice(at, at + BATCH));
        if (!isListed) this.#unlisted(`the list has ${MOST_LISTED} jobs`);
      }
    } catch (error) {
      const failure = RedisFailure.from(error);
      // What could not be listed now is listed the next time.
      if (!failure.isTransient) this.#unlisted(failure.message);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.context.wheel.cancel(this.#timer);
  }

  #unlisted(why: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.context.notices.post({ kind: 'unlisted', what: 'jobs', why });
  }
}
