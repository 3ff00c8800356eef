import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import { InScope } from './outer.scope.js';
import { WorkStage } from './work.stage.js';
import { settings } from './worker.channel.js';

/** A direct call waits for the run that is about to end, in ms. */
const DIRECT_WAIT = 2000;

const { grace, maxHold, onCrash, overlap, catchUp, splay, heartbeat } = settings;
const retries = onCrash === 'retry' ? { maxAttempts: settings.maxAttempts } : {};
const policies = { grace, maxHold, onCrash, overlap, catchUp, splay, ...retries };
const zone = settings.timeZone === undefined ? {} : { timeZone: settings.timeZone };

@Injectable()
export class CountedJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(settings.cron, { name: 'counted', ...zone })
  @InScope
  @DistributedLock('counted', { waitTime: DIRECT_WAIT, heartbeat, ...policies })
  async run(): Promise<number | string | undefined> {
    return (await this.stage.perform('counted')) ?? 'direct';
  }
}

/** Under `retry`, beside a counted job that is not. However many of its runs crash, it is run again. */
@Injectable()
export class RetriedJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(settings.cron)
  @DistributedLock('retried', { onCrash: 'retry', maxAttempts: Infinity })
  async run(): Promise<void> {
    await this.stage.perform('retried');
  }
}

/** A second job with the same schedule, without a name; decorators the other way round. */
@Injectable()
export class OtherJob {
  constructor(private readonly stage: WorkStage) {}

  @DistributedLock(() => 'other')
  @Cron(settings.cron, { utcOffset: 90 })
  async run(): Promise<void> {
    await this.stage.perform('other');
  }
}

/** With a zone from an environment that has none, which the scheduler takes. */
@Injectable()
export class EmptyZoneJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(settings.cron, { timeZone: process.env['NO_ZONE'] ?? '' })
  @DistributedLock('empty-zone')
  async run(): Promise<void> {
    await this.stage.perform('empty-zone');
  }
}

@Injectable()
export class FailingJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(settings.cron, { timeZone: 'Asia/Kathmandu' })
  @DistributedLock('failing')
  async run(): Promise<void> {
    await this.stage.perform('failing');
    throw new Error('the job has failed');
  }
}

/** A route and a cron job in one method. */
@Controller('route')
export class RouteJob {
  constructor(private readonly stage: WorkStage) {}

  @Get()
  @Cron(settings.cron)
  @DistributedLock('route', { waitTime: DIRECT_WAIT })
  async run(): Promise<{ tick: number | string }> {
    return { tick: (await this.stage.perform('route')) ?? 'direct' };
  }
}

/** cron takes more options than the decorator declares. */
const ON_INIT = { timeZone: 'UTC', runOnInit: true };

@Injectable()
export class OnInitJob {
  constructor(private readonly stage: WorkStage) {}

  @Cron(settings.cron, ON_INIT)
  @DistributedLock('on-init')
  async run(): Promise<void> {
    await this.stage.perform('on-init');
  }
}

/** Another module's slow bootstrap hook, which calls the counted job itself. */
@Injectable()
export class SlowStart implements OnApplicationBootstrap {
  constructor(private readonly job: CountedJob) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.job.run();
    await sleep(2500);
  }
}
