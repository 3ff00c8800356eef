import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { JobEvidence } from './tick.evidence.js';
import type { InstanceJobs } from './tick.instance.js';
import type { JournalRun, TickJournal } from './tick.journal.js';
import type { JobPlan } from './tick.plan.js';
import { boundsOf, DEAF, FIELDS, type WaitKind } from './tick.promises.js';
import type { JobReader, PartLosses, StoredJob, TickStore } from './tick.store.js';
import type { World } from './world.js';

/** Between two looks at the records, in ms. */
const PACE = 100;

/** An estimate of the store's clock is wrong by half a round trip, which takes so long at most, in ms. */
const MOST_TRIP = 1400;

/** `grace` by default, in ms: docs/ticks.md. */
const GRACE = 5000;

/** How long after the last trouble, and a lease, nothing is missed and no run dies, in ms: the second of a retry, and a second for its claims. */
const CALM = 2000;

/** How long runs may wait after the store's clock has stepped, in ms: until then an instance may go by the old time. */
const STEPPED = 5000;

/** What is known of a job from its record. */
interface WatchedJob {
  readonly plan: JobPlan;
  readonly evidence: JobEvidence;
  /** Its fields at the last event, where it may be deleted: one that was made anew is another map. */
  record: ReadonlyMap<string, string> | undefined;
  /** The highest mark whose ticks were looked at; undefined before the job is registered. */
  seen: number | undefined;
  /** Ticks up to `seen` that have no row so far. */
  readonly open: Set<number>;
  /** Since when a run waits, by what it waits for, on the world's clock. */
  readonly waits: Map<WaitKind, number>;
  /** When it was seen paused last, on the world's clock. */
  paused: number;
  /** Since when each instance could run it. */
  readonly able: Map<InstanceJobs, number>;
  /** Since when each of them receives the messages of the job. */
  readonly hearing: Map<InstanceJobs, number>;
}

/** What the watch looks at, and where it reports. */
export interface WatchPlace {
  readonly world: World;
  readonly watch: { report(rule: string, what: string): void };
  /** The moment at which the last fault of any instance ended. */
  readonly fleet: { readonly lastTrouble: number };
  readonly store: TickStore;
  readonly losses: PartLosses | undefined;
  /** That of the watchdog, in ms. */
  readonly lease: number;
  readonly reader: JobReader;
  readonly journal: TickJournal;
  readonly instances: ReadonlySet<InstanceJobs>;
  readonly plans: readonly JobPlan[];
}

/** Looks at the record of each job now and then: each tick has a row, and what waits is run in time. */
export class TickWatch {
  readonly #jobs: readonly WatchedJob[];
  readonly #losable = new Set<WatchedJob>();
  #next = 0;
  #clock = 0;
  /** Until then runs may be kept from their instances because the store's clock has stepped. */
  #lastTrouble = 0;
  /** From then on there are no faults. */
  calmFrom = Infinity;

  constructor(private readonly place: WatchPlace) {
    this.#jobs = place.plans.map((plan) => ({
      plan,
      evidence: new JobEvidence(),
      record: undefined,
      seen: undefined,
      open: new Set(),
      waits: new Map(),
      paused: -Infinity,
      able: new Map(),
      hearing: new Map(),
    }));
  }

  /** The record of a job may be deleted from now on. */
  mayLose(job: string): void {
    for (const watched of this.#jobs) if (watched.plan.name === job) this.#losable.add(watched);
  }

  /** To be called after each event. */
  check(): void {
    this.#noteClock();
    this.#noteLosses();
    for (const job of this.#losable) this.#noteDeletion(job);
    if (this.place.world.now < this.#next) return;
    this.#next = this.place.world.now + PACE;
    for (const job of this.#jobs) this.#look(job);
  }

  /** The clock of the store was set, if it was. */
  #noteClock(): void {
    const { journal, store, world } = this.place;
    const by = store.process.wallOffset - this.#clock;
    if (by === 0) return;
    this.#clock += by;
    journal.stepped(by);
    this.#lastTrouble = world.now + STEPPED;
  }

  /** A failover has lost the last writes, or there are two records of a job. */
  #noteLosses(): void {
    const { losses, reader } = this.place;
    const isLost = losses?.takeLost();
    if (losses?.isSplit !== true && isLost === undefined) return;
    for (const job of this.#jobs)
      if (losses?.isSplit === true || isLost?.(reader.keysOf(job.plan.name).record)) this.#forget(job);
  }

  /** Between two events a record may have been deleted and made anew. */
  #noteDeletion(job: WatchedJob): void {
    const record = this.place.reader.fieldsOf(job.plan.name);
    if (record === job.record) return;
    job.record = record;
    this.#forget(job);
  }

  get lastTrouble(): number {
    return Math.max(this.place.fleet.lastTrouble, this.#lastTrouble);
  }

  /** To be called when all runs are over. */
  finish(): void {
    for (const job of this.#jobs) {
      this.#look(job);
      const stored = this.place.reader.read(job.plan.name);
      if (stored !== undefined) this.#checkLeft(job, stored);
      const runs = this.place.journal.of(job.plan.name);
      // After a loss of data and a step back of the clock a token is given twice, and the first row is gone.
      for (const run of runs)
        if (runs.findLast(({ lock }) => lock.token === run.lock.token) === run)
          this.#checkRecorded(job, run, stored);
    }
  }

  #look(job: WatchedJob): void {
    const { name, kind } = job.plan;
    const stored = this.place.reader.read(name);
    if (stored === undefined || (stored.mark ?? 0) < (job.seen ?? 0)) this.#forget(job);
    if (stored === undefined) return;
    for (const row of job.evidence.take(this.place.reader.rows(name))) this.#checkRow(job.plan, row);
    if (kind === 'cron') this.#account(job, stored);
    job.seen = stored.mark;
    this.#checkWaits(job, stored);
  }

  /** Its record was lost: what it had to say of older ticks went with it. */
  #forget(job: WatchedJob): void {
    this.place.journal.newEra(job.plan.name);
    job.seen = undefined;
    job.open.clear();
  }

  /** Each tick up to the mark has a row, or is under way. */
  #account(job: WatchedJob, stored: StoredJob): void {
    const { plan, evidence, open } = job;
    const { mark } = stored;
    // Ticks up to the first mark are never run. A record that was lost in part may have none, and accounts for nothing new.
    if (mark !== undefined)
      for (let tick = (job.seen ?? mark) + plan.period; tick <= mark; tick += plan.period) open.add(tick);
    for (const tick of open) {
      if (evidence.accountsFor(tick)) open.delete(tick);
      else if (!isUnderWay(tick, stored))
        this.place.watch.report(
          'accounted',
          `tick ${tick} of ${plan.name} was not run, and its record does not say why`,
        );
    }
  }

  #checkRow({ name, options }: JobPlan, row: TickRecord): void {
    const { outcome, reason = '', tick, attempt, start, token } = row;
    const report = (what: string) =>
      this.place.watch.report('record', `${name}: ${tick} is ${outcome}${what}`);
    if (['missed', 'overlapped', 'crashed', 'abandoned', 'failed'].includes(outcome) && reason === '')
      report(' without a reason');
    if (options.onCrash === 'skip' && (attempt > 1 || outcome === 'handed-over'))
      report(` as attempt ${attempt} under skip`);
    const age = Math.max(options.grace ?? GRACE, options.catchUp ?? 0);
    if (reason.startsWith('too old') && start - tick < age - MOST_TRIP / 2)
      report(` after ${start - tick} ms`);
    const ran = this.place.journal.of(name).findLast(({ lock }) => String(lock.token) === token);
    // A record that was lost in part gives tokens of before anew.
    const era = this.place.journal.eraOf(name);
    const isOld = this.place.losses !== undefined && era > 0 && ran?.era !== era;
    if (!isOld && outcome === 'completed' && ran?.end?.how !== 'returned')
      report(', and its work did not return');
    if (!isOld && outcome === 'failed' && !reason.startsWith('it did not begin') && ran === undefined)
      report(', and was not run');
    const isMissed =
      !this.place.journal.hasSteppedBack &&
      outcome === 'missed' &&
      tick > this.place.reader.storeNow - this.place.world.now + this.#calm;
    const hasCrashed = !isOld && ['crashed', 'abandoned'].includes(outcome) && (ran?.begin ?? 0) > this.#calm;
    if (isMissed || hasCrashed) report(` (${reason}) without a fault`);
  }

  get #calm(): number {
    return Math.max(this.calmFrom, this.lastTrouble) + this.place.lease + CALM;
  }

  /** A run that waits begins in time, while an instance could begin it. */
  #checkWaits(job: WatchedJob, stored: StoredJob): void {
    const { plan, waits } = job;
    this.#noteAble(job);
    if (stored.pausedAt !== undefined) job.paused = this.place.world.now;
    const isFree = !stored.isLocked && stored.pausedAt === undefined;
    const hasDied = stored.holder !== undefined && !stored.isRunning && stored.run?.request === undefined;
    const isRetry = plan.options.onCrash === 'retry' && (hasDied || stored.handed.length > 0);
    const until = stored.request?.until ?? 0;
    const now: Readonly<Record<WaitKind, boolean>> = {
      retry: isFree && isRetry,
      queue: isFree && !isRetry && stored.queued !== undefined,
      request: !stored.isLocked && !isRetry && until > this.place.reader.storeNow,
    };
    const bounds = boundsOf(this.place.lease);
    const [ableSince, hearingSince] = [job.able, job.hearing].map((all) => Math.min(...all.values()));
    for (const kind of ['retry', 'queue', 'request'] as const) {
      if (!now[kind]) {
        waits.delete(kind);
        continue;
      }
      const since = waits.get(kind) ?? this.place.world.now;
      waits.set(kind, since);
      const waited = (from = Infinity) => this.place.world.now - Math.max(since, from, this.lastTrouble);
      const isResumed = since - job.paused <= 2 * PACE;
      const isHeard = kind === 'request' || (kind === 'retry' && (!hasDied || isResumed));
      const isLate = waited(isHeard ? hearingSince : ableSince) > bounds[kind];
      if (isLate || waited(ableSince) > bounds[kind] + DEAF)
        this.place.watch.report(
          'waits',
          `a ${kind} of ${plan.name} waits for ${Math.round(waited(ableSince))} ms`,
        );
    }
  }

  #noteAble({ plan, able, hearing }: WatchedJob): void {
    const { channel } = this.place.reader.keysOf(plan.name);
    for (const jobs of this.place.instances) {
      const { instance, service } = jobs;
      const isAble = instance.isRunning && instance.isConnected && jobs.isOn(plan.name);
      const hears = isAble && service.engine.context.subscriptions.isActive(channel);
      this.#noteSince(able, jobs, isAble);
      this.#noteSince(hearing, jobs, hears);
    }
  }

  #noteSince(all: Map<InstanceJobs, number>, jobs: InstanceJobs, isSo: boolean): void {
    if (!isSo) all.delete(jobs);
    else if (!all.has(jobs)) all.set(jobs, this.place.world.now);
  }

  /** Nothing waits in the record, and it has no field that the docs do not name. */
  #checkLeft({ plan, open }: WatchedJob, stored: StoredJob): void {
    const report = (what: string) => this.place.watch.report('left', `${plan.name}: ${what}`);
    for (const field of stored.fields.keys()) if (!FIELDS.has(field)) report(`the record has ${field}`);
    if (stored.isLocked) report('its lock is held');
    if (this.place.journal.isResting) return;
    if (plan.kind === 'cron' && open.size > 0) report(`${[...open].join(', ')} without an outcome`);
    if (plan.kind === 'cron' && (stored.queued !== undefined || stored.handed.length > 0))
      report('a run waits');
    if (plan.kind !== 'timeout' && plan.kind !== 'once' && stored.run !== undefined)
      report('a run is not closed');
  }

  /** A run that began has a row, whose outcome fits. */
  #checkRecorded({ plan, evidence }: WatchedJob, run: JournalRun, stored: StoredJob | undefined): void {
    const { lock, end, era } = run;
    const token = String(lock.token);
    const row = evidence.runs.get(token) ?? (stored?.run?.token === token ? stored.run : undefined);
    if (this.place.losses !== undefined && era !== this.place.journal.eraOf(plan.name)) return;
    const report = (what: string) =>
      this.place.watch.report('recorded', `${plan.name}: ${lock.tick} attempt ${lock.attempt} ${what}`);
    if (row === undefined) {
      if (era === this.place.journal.eraOf(plan.name)) report('ran, and has no row');
      return;
    }
    if (row.attempt !== lock.attempt || row.tick !== lock.tick) report(`has the row of ${row.tick}`);
    if (end === undefined || !end.wasHeld || end.wasAborted) return;
    const expected = end.how === 'returned' ? 'completed' : 'failed';
    if (![expected, 'crashed', 'abandoned', 'running'].includes(row.outcome))
      report(`${end.how}, and is ${row.outcome}`);
  }
}

/** Whether a tick without a row is queued, handed over, running, or passed over by a pause that goes on. */
function isUnderWay(tick: number, { queued, handed, run, pausedFrom = Infinity }: StoredJob): boolean {
  return (
    queued === tick || run?.tick === tick || tick > pausedFrom || handed.some((one) => one.tick === tick)
  );
}
