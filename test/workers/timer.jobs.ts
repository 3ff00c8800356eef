import { Injectable } from '@nestjs/common';
import { Cron, Interval, Timeout } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import { WorkStage } from './work.stage.js';
import { settings } from './worker.channel.js';

@Injectable()
export class IntervalJob {
  constructor(private readonly stage: WorkStage) {}

  @Interval(settings.period)
  @DistributedLock('interval', { waitTime: 2000, onCrash: settings.onCrash })
  async run(): Promise<number | string | undefined> {
    return (await this.stage.perform('interval')) ?? 'direct';
  }
}

/** An interval without a guard, which calls a guarded one, most times between the ticks of that: a direct call. */
@Injectable()
export class CallerJob {
  constructor(private readonly job: IntervalJob) {}

  @Interval(settings.period * 1.4)
  async run(): Promise<void> {
    await this.job.run();
  }
}

@Injectable()
export class TimeoutJob {
  constructor(private readonly stage: WorkStage) {}

  @Timeout(settings.period)
  @DistributedLock('timeout', { minInterval: settings.minInterval, onCrash: settings.onCrash })
  async run(): Promise<void> {
    await this.stage.perform('timeout');
  }
}

/** Its date comes as long after the start of its process as a timeout. */
@Injectable()
export class DatedJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(new Date(Date.now() + settings.period))
  @DistributedLock('dated', { minInterval: settings.minInterval ?? 1, onCrash: settings.onCrash })
  async run(): Promise<void> {
    await this.stage.perform('dated');
  }
}
