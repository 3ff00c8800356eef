import { Logger } from '@nestjs/common';
import type { ScheduledTick } from '../metadata/schedule.fires.js';
import type { GrantedTick } from '../ticks/tick.claim.js';
import { JobFire } from '../nest-schedule/job.fire.js';
import type { FireTracker } from '../nest-schedule/fire.tracker.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';

/** Runs a scheduled method for ticks that no alarm of this instance stands for: awaited, retried, queued, caught up with, requested by hand. */
export class JobStarter {
  constructor(
    private readonly method: ScheduledMethod,
    private readonly fires: FireTracker,
  ) {}

  /** Settles when the run is over. No scheduler waits for it: its error is logged as the scheduler logs it. */
  async start(granted: GrantedTick): Promise<void> {
    try {
      await this.run(granted);
    } catch (error) {
      new Logger('Scheduler').error(error);
    }
  }

  /** Settles when the run is over, with its error. */
  async run(granted: GrantedTick): Promise<void> {
    const { instance, method } = this.method;
    const tick: ScheduledTick = { run: (work) => granted.run(work) };
    const fire = new JobFire(this.fires, tick);
    try {
      if (typeof method === 'function')
        await this.fires.begin(fire, (): unknown => Reflect.apply(method, instance, []));
      await fire.decided();
    } finally {
      // A decorator around the guard may not have called it.
      await granted.giveBack();
    }
  }
}
