import type { LockService } from '../service/lock.service.js';
import { parseDuration } from '../options/option.checks.js';
import { CronMethod } from './cron.method.js';
import { isLeaderOnly } from './schedule.checks.js';
import { HeartbeatSender, JobHeartbeat } from '../jobs/heartbeat.js';
import { readHeartbeat } from '../jobs/heartbeat.reader.js';
import { IntervalTick, toleranceOf } from '../jobs/interval.tick.js';
import { JobClaimer, type ClaimerFactory } from '../jobs/job.claimer.js';
import { JobStarter } from '../jobs/job.starter.js';
import type { JobIdentity } from '../jobs/job.registration.js';
import { FireTracker, type FireSurroundings } from '../nest-schedule/fire.tracker.js';
import type { CronSchedule } from '../nest-schedule/schedule.metadata.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import { SequenceRegistry } from '../instants/sequence.registry.js';
import { TickJournal } from '../jobs/tick.journal.js';
import { TimerMethod, type TimerTicks } from './timer.method.js';
import { Splay } from '../jobs/splay.js';
import { SequentialTick } from '../jobs/sequential.tick.js';

/** How old a tick may be that another alarm was set for, in ms. */
const GRACE = 5000;

/** How many runs of a tick may crash. */
const ATTEMPTS = 3;

/** How many records Redis keeps of a job. */
const HISTORY = 50;

/** The highest number that the scripts accept. */
const MOST_ATTEMPTS = 2_147_483_647;

/** What ticks that keep a gap from the last start are made of. */
interface GapTicksParts {
  readonly method: ScheduledMethod;
  readonly identity: Omit<JobIdentity, 'job' | 'isOn'>;
  /** In ms. */
  readonly gap: number;
  readonly fires: FireTracker;
  readonly isOn: () => boolean;
}

/** Makes the ticks of scheduled methods, of one module instance. */
export class TickFactory {
  readonly crons: CronMethod[] = [];
  readonly timers: TimerMethod[] = [];
  readonly #journal: TickJournal;
  readonly #sequences = new SequenceRegistry();
  readonly #surroundings: FireSurroundings;
  readonly #heartbeats: HeartbeatSender;

  constructor(private readonly locks: LockService) {
    const { context } = locks.engine;
    const { notices, wheel } = context;
    const heartbeats = new HeartbeatSender(context, locks.ticks.instance);
    this.#heartbeats = heartbeats;
    locks.onceEnded(
      () => heartbeats.end(),
      () => heartbeats.idle(),
    );
    this.#journal = new TickJournal(notices, locks.ticks.clock);
    this.#surroundings = { notices, wheel, instances: scheduledInstances() };
  }

  /**
   * @param isOptional whether its fires may end without a call of the guard
   * @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`
   */
  make(method: ScheduledMethod, isOptional: boolean): CronMethod | TimerMethod {
    const { schedule, job } = method;
    this.locks.getLock(job);
    const fires = new FireTracker(method, this.#surroundings, isOptional || isLeaderOnly(method));
    this.locks.onceEnded(() => fires.end());
    if (schedule.kind === 'cron') {
      const made = this.#cron(method, schedule, fires);
      this.crons.push(made);
      return made;
    }
    const made = new TimerMethod(method, fires, (isOn) =>
      schedule.kind === 'interval'
        ? this.#interval(method, schedule.ms, fires, isOn)
        : this.#timeout(method, schedule.ms, fires, isOn),
    );
    this.timers.push(made);
    return made;
  }

  get methods(): readonly (CronMethod | TimerMethod)[] {
    return [...this.crons, ...this.timers];
  }

  close(): void {
    for (const method of this.methods) method.close();
  }

  #cron(method: ScheduledMethod, cron: CronSchedule, fires: FireTracker): CronMethod {
    const { options, where, job } = method;
    const { notices } = this.locks.engine.context;
    const starter = new JobStarter(method, fires);
    return new CronMethod({
      method,
      cron,
      fires,
      starter,
      claimers: this.#claimers(starter),
      ages: { grace: graceOf(method), catchUp: durationOf(options.catchUp, `catchUp of ${where}`) ?? 0 },
      splay: splayOf(method),
      sequences: this.#sequences,
      gap: gapOf(method),
      refuseDate: () => notices.post({ kind: 'date-refused', lock: job, where }),
      warnOfNever: (schedule) => notices.post({ kind: 'never-fires', lock: job, schedule }),
    });
  }

  #interval(method: ScheduledMethod, ms: number, fires: FireTracker, isOn: () => boolean): TimerTicks {
    const identity = {
      fingerprint: () => `every ${ms} ms`,
      latest: (): 'now' => 'now',
      next: () => undefined,
      period: Math.max(1, Math.round(ms)),
    };
    return this.#gapTicks({ method, identity, gap: ms - toleranceOf(ms), fires, isOn });
  }

  #timeout(method: ScheduledMethod, ms: number, fires: FireTracker, isOn: () => boolean): TimerTicks {
    const gap = gapOf(method);
    if (gap !== undefined) {
      // Unlike an interval it must run at the fleet's very first start: nothing is its last start until then.
      const identity = {
        fingerprint: () => `${ms} ms after a start`,
        latest: () => undefined,
        next: () => undefined,
        period: undefined,
      };
      return this.#gapTicks({ method, identity, gap, fires, isOn });
    }
    const tick = new SequentialTick(this.locks, method.job);
    return {
      tick,
      open: () => this.locks.engine.context.notices.post({ kind: 'unscheduled-once', lock: method.job }),
      close: () => tick.close(),
    };
  }

  #gapTicks({ method, identity, gap, fires, isOn }: GapTicksParts): TimerTicks {
    const claimer = this.#claimers(new JobStarter(method, fires))(method, identity, isOn, () => gap);
    return {
      tick: new IntervalTick(claimer, gap),
      open: () => claimer.open(),
      close: () => claimer.close(),
    };
  }

  #claimers(starter: JobStarter): ClaimerFactory {
    return (method, { fingerprint, ...instants }, isOn, gap = () => undefined) => {
      const { job, options, where } = method;
      const { onCrash = 'skip', overlap = 'skip', shared = false, maxAttempts = ATTEMPTS } = options;
      const heartbeat = readHeartbeat(options.heartbeat, where);
      return new JobClaimer({
        runner: this.locks.ticks,
        journal: this.#journal,
        // Methods that share a job may differ in their schedules.
        identity: { ...instants, job, isOn, fingerprint: () => (shared ? 'shared' : fingerprint()) },
        policies: {
          onCrash,
          overlap,
          grace: Math.max(graceOf(method), durationOf(options.catchUp, `catchUp of ${where}`) ?? 0),
          maxHold: durationOf(options.maxHold, `maxHold of ${where}`, true),
          period: instants.period,
          attempts: maxAttempts === Infinity ? undefined : Math.min(maxAttempts, MOST_ATTEMPTS),
          history: options.history ?? HISTORY,
          isAnnounced: firesEvery(method) > this.locks.engine.context.settings.watchdogTimeout,
        },
        gap,
        hasOthers: () => this.locks.fleetReader.hasOthers,
        starter,
        runs: heartbeat === undefined ? undefined : new JobHeartbeat(job, heartbeat, this.#heartbeats),
      });
    };
  }
}

const INSTANCES = Symbol.for('nestjs-distributed-lock.scheduled');

/** Shared by the process: a call on an instance of one application is no fire of another one's. */
function scheduledInstances(): WeakSet<object> {
  const holder: typeof globalThis & { [INSTANCES]?: WeakSet<object> } = globalThis;
  return (holder[INSTANCES] ??= new WeakSet());
}

function gapOf({ options, where }: ScheduledMethod): number | undefined {
  return durationOf(options.minInterval, `minInterval of ${where}`);
}

/** Between two fires of one instance, in ms. Infinity: it fires once; 0: all instances fire together, by a cron expression. */
function firesEvery({ schedule, options }: ScheduledMethod): number {
  if (schedule.kind === 'interval') return schedule.ms;
  // A `minInterval` is for what fires once: a timeout, or a `Date`.
  return schedule.kind === 'timeout' || options.minInterval !== undefined ? Infinity : 0;
}

function splayOf({ options, where, job }: ScheduledMethod): Splay | undefined {
  const span = durationOf(options.splay, `splay of ${where}`);
  return span === undefined || span === 0 ? undefined : new Splay(job, span);
}

function graceOf({ options, where }: ScheduledMethod): number {
  return durationOf(options.grace, `grace of ${where}`) ?? GRACE;
}

function durationOf(
  value: Parameters<typeof parseDuration>[0] | undefined,
  option: string,
  unbounded = false,
): number | undefined {
  return value === undefined ? undefined : parseDuration(value, { option, unbounded });
}
