import type { LockService } from '../service/lock.service.js';
import { parseDuration } from '../timing/duration.parser.js';
import { CronMethod } from './cron.method.js';
import { IntervalTick, toleranceOf } from './interval.tick.js';
import { JobClaimer, type ClaimerFactory } from './job.claimer.js';
import { JobStarter } from './job.starter.js';
import type { JobIdentity } from './job.registration.js';
import type { ScheduledMethod } from './scheduled.method.js';
import { SequenceBook } from './sequence.book.js';
import { TickJournal } from './tick.journal.js';
import { TimerMethod } from './timer.method.js';
import { TurnTick } from './turn.tick.js';

/** How old a tick may be that another alarm was set for, in ms. */
const GRACE = 5000;

/** Makes the ticks of scheduled methods, of one module instance. */
export class TickFactory {
  readonly crons: CronMethod[] = [];
  readonly timers: TimerMethod[] = [];
  readonly #journal: TickJournal;
  readonly #sequences = new SequenceBook();

  constructor(private readonly locks: LockService) {
    this.#journal = new TickJournal(locks.engine.context.notices, locks.ticks.clock);
  }

  /** @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION` */
  make(method: ScheduledMethod): void {
    const { schedule, options, job, where } = method;
    this.locks.getLock(job);
    if (schedule.kind === 'cron') {
      const ages = {
        grace: graceOf(method),
        catchUp: durationOf(options.catchUp, `catchUp of ${where}`) ?? 0,
      };
      this.crons.push(new CronMethod(method, schedule, this.#claimer, ages, this.#sequences));
    } else if (schedule.kind === 'interval') {
      const identity = {
        fingerprint: () => `every ${schedule.ms} ms`,
        latest: (): 'now' => 'now',
      };
      this.#addTimer(method, identity, schedule.ms - toleranceOf(schedule.ms));
    } else {
      this.#makeTimeout(method, schedule.ms);
    }
  }

  close(): void {
    for (const method of [...this.crons, ...this.timers]) method.close();
  }

  #makeTimeout(method: ScheduledMethod, ms: number): void {
    const gap = durationOf(method.options.minInterval, `minInterval of ${method.where}`);
    if (gap !== undefined) {
      // Unlike an interval it must run at the fleet's very first start: nothing is its last start until then.
      const identity = { fingerprint: () => `${ms} ms after a start`, latest: () => undefined };
      this.#addTimer(method, identity, gap);
      return;
    }
    const tick = new TurnTick(this.locks, method.job);
    const warn = () => this.locks.engine.context.notices.post({ kind: 'unscheduled-once', lock: method.job });
    this.timers.push(new TimerMethod(method, tick, warn, () => tick.close()));
  }

  #addTimer(method: ScheduledMethod, identity: Omit<JobIdentity, 'job'>, gap: number): void {
    const claimer = this.#claimer(method, identity, gap);
    const tick = new IntervalTick(claimer, gap);
    this.timers.push(
      new TimerMethod(
        method,
        tick,
        () => claimer.open(),
        () => claimer.close(),
      ),
    );
  }

  readonly #claimer: ClaimerFactory = (method, { fingerprint, latest }, gap) => {
    const { job, options, where } = method;
    const { onCrash = 'skip', overlap = 'skip', shared = false } = options;
    return new JobClaimer({
      runner: this.locks.ticks,
      journal: this.#journal,
      // Methods that share a job may differ in their schedules.
      identity: { job, latest, fingerprint: () => (shared ? 'shared' : fingerprint()) },
      policies: {
        onCrash,
        overlap,
        grace: Math.max(graceOf(method), durationOf(options.catchUp, `catchUp of ${where}`) ?? 0),
        maxHold: durationOf(options.maxHold, `maxHold of ${where}`, true),
        gap,
      },
      starter: new JobStarter(method),
    });
  };
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
