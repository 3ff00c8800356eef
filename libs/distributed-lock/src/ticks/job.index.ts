import type { LockContext } from '../core/lock.context.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { machine } from '../timing/machine.js';
import type { JobEntry, JobListScripts } from './job.list.scripts.js';

/** Entries of one call, and of one page. */
const PAGE = 500;

/** The most jobs of this process that are listed again and again: of `runOnce()` with ever new names the newest ones. */
const OWN = 10_000;

/** Jobs that are registered within this time are listed together, in ms. */
const MOMENT = 20;

/** A list that was lost is whole again after this time, in ms. */
const PERIOD = 60_000;

/** The list of all jobs of a `namePrefix`: each instance keeps its own jobs in it. A job runs whether or not it is listed. */
export class JobIndex {
  /** By key. */
  readonly #own = new Map<string, JobEntry>();
  readonly #fresh = new Map<string, JobEntry>();
  readonly #timer: Timer;
  #isRefused = false;
  #isClosed = false;

  constructor(
    private readonly context: Pick<LockContext, 'notices' | 'outside' | 'wheel'>,
    private readonly scripts: JobListScripts,
  ) {
    this.#timer = context.wheel.background(() => context.outside(() => void this.#listAgain()));
  }

  /** A job of this process is registered, or claims a tick. */
  add(entry: JobEntry): void {
    if (this.#isClosed || this.#own.has(entry.key)) return;
    if (this.#own.size >= OWN) this.#own.delete(this.#own.keys().next().value ?? '');
    this.#own.set(entry.key, entry);
    this.#fresh.set(entry.key, entry);
    if (this.#fresh.size === 1) this.#after(MOMENT);
  }

  /** The job does not belong to this process any more: other processes may have it. */
  leave(key: string): void {
    this.#own.delete(key);
    this.#fresh.delete(key);
  }

  /** The record of a job was deleted. A process that has the job lists it again with its next tick, or after a minute. */
  async remove(entry: JobEntry): Promise<void> {
    this.leave(entry.key);
    try {
      await this.scripts.delist(entry);
    } catch {
      // A job without a record is removed by the next reader of the list.
    }
  }

  /** All jobs in the list, by name, up to `limit`. @throws RedisFailure */
  async all(limit: number): Promise<JobEntry[]> {
    // A process finds its own jobs from their registration on.
    if (this.#fresh.size > 0) await this.#listAgain();
    const found: JobEntry[] = [];
    let page: readonly JobEntry[];
    do {
      page = await this.scripts.page(found.at(-1), Math.min(PAGE, limit - found.length));
      found.push(...page);
    } while (page.length === PAGE && found.length < limit);
    return found;
  }

  close(): void {
    this.#isClosed = true;
    this.#own.clear();
    this.#fresh.clear();
    this.context.wheel.cancel(this.#timer);
  }

  #after(delay: number): void {
    this.context.wheel.set(this.#timer, now() + delay);
  }

  async #listAgain(): Promise<void> {
    const entries = [...(this.#fresh.size > 0 ? this.#fresh : this.#own).values()];
    this.#fresh.clear();
    try {
      for (let at = 0; at < entries.length; at += PAGE)
        await this.scripts.enlist(entries.slice(at, at + PAGE));
    } catch (error) {
      this.#failed(RedisFailure.from(error));
    }
    if (this.#own.size > 0) this.#after(this.#fresh.size > 0 ? MOMENT : PERIOD * (1 - machine.global.Math.random() / 4));
  }

  /** What could not be listed now is listed the next time. */
  #failed({ kind, message }: RedisFailure): void {
    if (kind !== 'refused' || this.#isRefused) return;
    this.#isRefused = true;
    this.context.notices.post({ kind: 'jobs-unlisted', why: message });
  }
}
