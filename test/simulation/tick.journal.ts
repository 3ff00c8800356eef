import type { CurrentLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { CallingInstance } from './calling.instance.js';
import { SETTINGS } from './simulated.instance.js';
import type { JobPlan } from './tick.plan.js';
import { rowOf, type JobReader, type StoredJob } from './tick.store.js';
import type { World } from './world.js';

/** A call of a job's method: the run of a tick, or a direct call. */
export interface JournalRun {
  readonly job: JobPlan;
  readonly instance: CallingInstance;
  readonly lock: CurrentLock;
  /** On the world's clock. */
  readonly begin: number;
  /** How often the job's record was lost by then. */
  readonly era: number;
  /** The instance that requested it by hand. */
  readonly requestedBy: string | undefined;
  /** When the store granted it, by the store's clock; undefined where its record was over before it began. */
  readonly granted: number | undefined;
  end:
    | {
        readonly at: number;
        readonly how: 'returned' | 'threw';
        readonly wasHeld: boolean;
        readonly wasAborted: boolean;
      }
    | undefined;
}

/** What runs are checked with. */
export interface JournalWatch {
  report(rule: string, what: string): void;
  /** Whether a hold may be gone, which began at `since`, though its holder does not know yet. */
  mayHaveLost(key: string, since: number, instance: CallingInstance): boolean;
  /** Whether no grant of an instance can be lost together with the record. */
  keepsGrants?(instance: CallingInstance): boolean;
}

/** The era of a run whose grant the record does not have. */
const LOST = -1;

/** How early by the store's clock a run may seem to begin, in ms: the store's time is in whole ms. */
const ROUNDING = 1;

/** An interval is granted this much early, at most, in ms: a tenth of its period, and no more than that. */
const MOST_TOLERANCE = 500;

/** How long after its grant a run may begin, in ms. */
const UNDER_WAY = 5000;

/** The store's clock has reached its old time again before the jobs are turned off, if it stepped back by no more than this, in ms. */
const LONGEST_REST = 15_000;

/** Notes each run of each job, and checks it against the runs before it. */
export class TickJournal {
  readonly runs: JournalRun[] = [];
  /** How often the scheduler of an instance has called a job: each call asks for its tick. */
  calls = 0;
  readonly #open = new Set<JournalRun>();
  readonly #byJob = new Map<string, JournalRun[]>();
  readonly #eras = new Map<string, number>();
  /** When the last one began, on the world's clock. */
  readonly #erasSince = new Map<string, number>();
  readonly #tokens = new Map<string, bigint>();
  readonly #starts = new Map<string, number>();

  /** How far the store's clock has stepped back so far, in ms: that much before its instant a tick may run that waited. */
  #stepped = 0;
  /** When the store's clock was set last, on the world's clock. */
  #steppedAt = -Infinity;

  constructor(
    private readonly world: World,
    private readonly watch: JournalWatch,
    private readonly reader: JobReader,
    /** Whether a record may be lost in part: its older state comes again. */
    private readonly losesParts = false,
  ) {}

  /** The runs of ticks of a job. */
  of(job: string): readonly JournalRun[] {
    return this.#byJob.get(job) ?? [];
  }

  eraOf(job: string): number {
    return this.#eras.get(job) ?? 0;
  }

  /** The record of a job is deleted, or may be: a tick of before may be run again under `retry`. */
  newEra(job: string): void {
    this.#eras.set(job, this.eraOf(job) + 1);
    this.#erasSince.set(job, this.world.now);
    this.#starts.delete(job);
    this.#tokens.delete(job);
  }

  /** Whether jobs may still rest because the store's clock has stepped back, until the end of the simulation. */
  get isResting(): boolean {
    return this.#stepped > LONGEST_REST;
  }

  /** Whether jobs may have rested because the store's clock has stepped back. */
  get hasSteppedBack(): boolean {
    return this.#stepped > 0;
  }

  /** The store's clock has stepped. @param by in ms; below 0: back */
  stepped(by: number): void {
    this.#stepped += Math.max(0, -by);
    this.#steppedAt = this.world.now;
    this.#starts.clear();
  }

  begin(job: JobPlan, instance: CallingInstance, lock: CurrentLock): JournalRun {
    const stored = this.reader.read(job.name);
    const row = stored?.holder === lock.holder ? stored.run : undefined;
    const run: JournalRun = {
      job,
      instance,
      lock,
      begin: this.world.now,
      era: row === undefined && this.#wasLost(job.name, instance) ? LOST : this.eraOf(job.name),
      requestedBy: row?.requestedBy,
      granted: row?.start,
      end: undefined,
    };
    const what = lock.tick === undefined ? 'direct call' : `tick ${lock.tick} attempt ${lock.attempt}`;
    this.world.note(`began ${job.name} ${what} under ${lock.holder}`);
    this.#checkAlone(run);
    if (lock.tick !== undefined) {
      this.#checkTick(run);
      this.#checkStart(run, stored);
      this.#byJob.set(job.name, [...this.of(job.name), run]);
    }
    this.runs.push(run);
    this.#open.add(run);
    return run;
  }

  /** Whether the grant of a run that begins now may be gone: the record was lost meanwhile, or its lock, with which another one has begun. */
  #wasLost(job: string, instance: CallingInstance): boolean {
    const { now } = this.world;
    if (this.losesParts || now < (this.#erasSince.get(job) ?? -Infinity) + UNDER_WAY) return true;
    return this.watch.mayHaveLost(SETTINGS.mapName(job), now, instance);
  }

  end(run: JournalRun, how: 'returned' | 'threw'): void {
    const { isHeld: wasHeld, signal } = run.lock;
    run.end = { at: this.world.now, how, wasHeld, wasAborted: signal.aborted };
    this.#open.delete(run);
  }

  /** Whoever has begun before has been notified by now. */
  #checkAlone({ job, instance, lock }: JournalRun): void {
    const key = SETTINGS.mapName(job.name);
    if (!lock.isHeld) this.watch.report('begun', `${instance.name} began ${job.name} without its lock`);
    // On the side of the old master of a split network its own grants do not count.
    if (this.watch.mayHaveLost(key, this.world.now, instance)) return;
    for (const other of this.#open) {
      if (other.job !== job || !other.instance.isRunning || other.lock.holder === lock.holder) continue;
      if (this.world.as(other.instance.process, () => other.lock.signal.aborted)) continue;
      if (this.watch.mayHaveLost(key, other.begin, other.instance)) continue;
      this.watch.report(
        'one at a time',
        `${instance.name} began ${job.name} while ${other.instance.name} runs it`,
      );
    }
  }

  /** A tick runs once; under `retry` its attempts rise, and end with the first one that has an end of its own. */
  #checkTick(run: JournalRun): void {
    const { job, lock, era, requestedBy } = run;
    const { tick, attempt = 1 } = lock;
    if (attempt > 1 && job.options.onCrash === 'skip')
      this.watch.report('once', `${job.name} runs ${tick} as attempt ${attempt} under skip`);
    if (era !== LOST) this.#checkToken(job.name, lock.token ?? 0n);
    for (const other of this.of(job.name)) {
      if (other.lock.tick !== tick || (other.requestedBy === undefined) !== (requestedBy === undefined))
        continue;
      const isNextAttempt = job.options.onCrash === 'retry' && attempt > (other.lock.attempt ?? 1);
      const mayRepeat = isNextAttempt || this.#isLostBetween(other, run);
      if (!mayRepeat)
        this.watch.report(
          'once',
          `${job.name} runs ${tick} on ${run.instance.name} as attempt ${attempt}, after ${other.lock.attempt} on ${other.instance.name}`,
        );
      else if (era !== LOST && era === other.era && this.#hasEnded(job.name, other))
        this.watch.report('once', `${job.name} runs ${tick} again after its end was recorded`);
    }
  }

  #checkToken(job: string, token: bigint): void {
    const last = this.#tokens.get(job) ?? 0n;
    if (token <= last) this.watch.report('token', `${job} gave ${token} after ${last}`);
    this.#tokens.set(job, token);
  }

  /**
   * Whether a tick may run again because the record was lost: docs/ticks.md; an instant that comes again by the store's clock is a new one. A
   * record that is lost in part may lack the newest grants.
   */
  #isLostBetween(first: JournalRun, { era, instance, job: { kind, options } }: JournalRun): boolean {
    const mayRepeat = kind === 'once' || options.onCrash === 'retry' || this.#stepped > 0;
    if (!this.losesParts) return (era === LOST || era > first.era) && mayRepeat;
    // What replicas have acknowledged a failover does not lose; an operator deletes it all the same.
    return (
      (era === LOST || era !== first.era) &&
      (mayRepeat || !this.#keeps(first.instance) || !this.#keeps(instance))
    );
  }

  #keeps(instance: CallingInstance): boolean {
    return this.watch.keepsGrants?.(instance) === true;
  }

  /** @returns whether the store has the end of that run */
  #hasEnded(job: string, { lock }: JournalRun): boolean {
    const ends = ['completed', 'failed'].map((outcome) => `"outcome":"${outcome}"`);
    return this.reader
      .rows(job)
      .some((row) => row.includes(`"token":"${lock.token}"`) && ends.some((end) => row.includes(end)));
  }

  /** When it may start: not while the job is paused, not before its instant, not sooner than its period after the last start. */
  #checkStart(run: JournalRun, stored: StoredJob | undefined): void {
    const { job, lock, granted, requestedBy } = run;
    const { tick = 0, attempt = 1 } = lock;
    if (granted === undefined) return;
    if (job.kind !== 'once' && granted < tick - this.#stepped)
      this.watch.report('in time', `${job.name} was granted ${tick} ${tick - granted} ms early`);
    const pausedAt = stored?.pausedAt ?? Infinity;
    if (requestedBy === undefined && granted > pausedAt)
      this.watch.report(
        'paused',
        `${job.name} runs ${tick}, granted ${granted - pausedAt} ms after its pause`,
      );
    if (requestedBy === undefined) this.#checkGap(job, granted, attempt > 1);
    else if (job.kind !== 'cron' && stored?.mark === granted && !this.#wasClaimed(job.name, granted, stored))
      this.watch.report('period', `${job.name} counts its period from a run that was requested by hand`);
  }

  /**
   * Whether a claim of an interval came at that instant, while its lock was held; a paused job counts its period from it, and has no row of it.
   * Where the store's clock has stepped back, a run may have been granted at that instant before. A job without a row may have been registered
   * in that very ms.
   */
  #wasClaimed(job: string, at: number, { queued, pausedAt }: StoredJob): boolean {
    const rows = this.reader.rows(job);
    return (
      queued === at ||
      pausedAt !== undefined ||
      rows.length === 0 ||
      rows.some((row) => rowOf(row).tick === at) ||
      (this.#stepped > 0 && this.of(job).some(({ granted }) => granted === at))
    );
  }

  /** @param isRetry it may come at any time after the last start */
  #checkGap(job: JobPlan, granted: number, isRetry: boolean): void {
    const { minInterval } = job.options;
    if (job.kind !== 'interval' && minInterval === undefined) return;
    // It may have been granted before the store's clock was set.
    if (this.world.now < this.#steppedAt + UNDER_WAY) return;
    const tolerance = minInterval === undefined ? Math.min(job.period / 10, MOST_TOLERANCE) : 0;
    const gap = (minInterval ?? job.period) - tolerance - ROUNDING;
    const last = this.#starts.get(job.name) ?? -Infinity;
    if (!isRetry && granted - last < gap)
      this.watch.report('period', `${job.name} starts ${granted - last} ms after its last start`);
    this.#starts.set(job.name, granted);
  }
}
