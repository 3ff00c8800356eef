import type {
  InstanceElection,
  InstanceJob,
  InstanceLock,
  LockInstance,
} from '../contracts/fleet.contract.js';
import { VERSION } from '../contracts/version.js';
import type { LockContext } from '../core/lock.context.js';
import { unavailable } from '../core/unavailable.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { readInstance } from './instance.reader.js';
import type { InstanceScripts } from './instance.scripts.js';

/** An instance that ends before this is not reported, in ms: scripts, tests, an application that fails at its start. */
const FIRST = 2000;

/** The time between two reports, in ms. */
const PERIOD = 10_000;

/** The least time between two reports, in ms: many leaders may be elected at once. */
const LEAST = 500;

/** How long an instance counts as alive after a report, in ms: two reports may be lost, and take their time. */
const LIFE = 45_000;

/** The most locks and elections of a report, of each, and the most characters of their names. */
const MOST = 50;
const CHARACTERS = 8000;

/** What an instance knows of itself at the moment. */
export interface InstanceFacts {
  readonly held: number;
  readonly waiting: number;
  readonly jobs: readonly InstanceJob[];
  /** Any number of them. */
  readonly locks: readonly InstanceLock[];
  readonly elections: readonly InstanceElection[];
}

/** What it needs of its module instance. */
type InstanceContext = Pick<
  LockContext,
  'ids' | 'isConnected' | 'notices' | 'outside' | 'settings' | 'wheel'
>;

/** Reports this instance to Redis now and then, and reads which others there are. No lock and no tick depends on it. */
export class InstanceRegistry {
  readonly #context: InstanceContext;
  readonly #scripts: InstanceScripts;
  readonly #facts: () => InstanceFacts;
  readonly #timer: Timer;
  readonly #opened = now();
  /** The jobs that Redis has of this instance, JSON. */
  #jobs = '';
  #isEnded = false;
  #hasReported = false;
  #isRefused = false;
  /** Whether something changed that is reported at once. */
  #isStale = false;
  #reportedAt = -Infinity;
  /** As many as Redis knew at the last report. */
  #alive = 0;
  #report: Promise<void> | undefined;

  constructor(context: InstanceContext, scripts: InstanceScripts, facts: () => InstanceFacts) {
    this.#context = context;
    this.#scripts = scripts;
    this.#facts = facts;
    this.#timer = context.wheel.background(() => context.outside(() => void this.#reportNow()));
    if (!context.settings.instanceInfo) return;
    this.#after(FIRST);
    context.notices.listen(({ kind }) => {
      if ((kind !== 'elected' && kind !== 'revoked') || !this.#hasReported || this.#isEnded) return;
      this.#isStale = true;
      this.#after(Math.max(0, this.#reportedAt + LEAST - now()));
    });
  }

  /** Whether other instances were alive at the last report of this one. */
  get hasOthers(): boolean {
    return this.#alive > 1;
  }

  /** Forgets this instance. Never rejects: what is not forgotten now is so after {@link LIFE}. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#context.wheel.cancel(this.#timer);
    await this.#report;
    if (!this.#hasReported || !this.#context.isConnected) return;
    try {
      await this.#scripts.leave(this.#context.ids.client);
    } catch {
      // Redis is away, or refuses.
    }
  }

  /** The instances that are alive. @throws LockUnavailableError */
  async instances(): Promise<LockInstance[]> {
    try {
      return (await this.#scripts.list()).flatMap((stored) => readInstance(stored) ?? []);
    } catch (error) {
      throw unavailable('fleet.instances()', error);
    }
  }

  async #reportNow(): Promise<void> {
    // A connection that is made by the first command must not be made by this one.
    const { isConnected } = this.#context;
    if (isConnected) {
      this.#isStale = false;
      this.#reportedAt = now();
      this.#report = this.#send();
      await this.#report;
    }
    if (this.#isEnded) return;
    const period = isConnected ? PERIOD * (1 - machine.global.Math.random() / 10) : FIRST;
    this.#after(this.#isStale && isConnected ? LEAST : period);
  }

  async #send(): Promise<void> {
    const { client } = this.#context.ids;
    const { appName: app } = this.#context.settings;
    try {
      // They ask the scheduler of the application, too.
      const { held, waiting, jobs, locks, elections } = this.#facts();
      // The host and the process id are the machine's name.
      const age = Math.round(now() - this.#opened);
      const info = JSON.stringify({
        ...{ app, name: machine.name, version: VERSION, age, held, waiting },
        ...(locks.length > 0 && { locks: rowsOf(locks) }),
        ...(elections.length > 0 && { elections: standingsOf(elections) }),
      });
      const all = JSON.stringify(jobs.map(({ job, isOn }) => [job, isOn ? 1 : 0]));
      const isSame = all === this.#jobs;
      const alive = await this.#scripts.report(client, LIFE, { info, jobs: isSame ? '' : all });
      // Undefined: Redis has lost them.
      this.#alive = alive ?? (await this.#scripts.report(client, LIFE, { info, jobs: all })) ?? 0;
      this.#jobs = all;
      this.#hasReported = true;
    } catch (error) {
      this.#failed(RedisFailure.from(error));
    }
  }

  /** What was not reported now is reported the next time. */
  #failed({ kind, message, isTransient }: RedisFailure): void {
    // It may have been noted all the same.
    if (kind === 'ambiguous') this.#hasReported = true;
    if (isTransient || this.#isRefused) return;
    this.#isRefused = true;
    this.#context.notices.post({ kind: 'unlisted', what: 'instance', why: message });
  }

  #after(delay: number): void {
    this.#context.wheel.set(this.#timer, now() + delay);
  }
}

/** Those with the most callers and permits first. */
function rowsOf(locks: readonly InstanceLock[]): [string, number, number][] {
  const weightOf = ({ permits, waiting }: InstanceLock) => permits + waiting;
  const byWeight = locks.toSorted((one, other) => weightOf(other) - weightOf(one));
  return cut(byWeight, ({ name }) => name).map(({ name, permits, waiting }) => [name, permits, waiting]);
}

/** Those that the instance leads first. */
function standingsOf(elections: readonly InstanceElection[]): [string, number][] {
  const byRank = elections.toSorted((one, other) => Number(other.isLeader) - Number(one.isLeader));
  return cut(byRank, ({ key }) => key).map(({ key, isLeader }) => [key, isLeader ? 1 : 0]);
}

/** As many as a report may have. */
function cut<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  let left = CHARACTERS;
  return rows.slice(0, MOST).filter((row) => {
    left -= nameOf(row).length;
    return left >= 0;
  });
}
