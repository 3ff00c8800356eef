import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { DistributedLockModule } from 'nestjs-distributed-lock';
import {
  CountedJob,
  EmptyZoneJob,
  FailingJob,
  OnInitJob,
  OtherJob,
  RetriedJob,
  RouteJob,
  SlowStart,
} from './cron.jobs.js';
import { CallerJob, DatedJob, IntervalJob, TimeoutJob } from './timer.jobs.js';
import { WorkStage } from './work.stage.js';
import { ChannelLogger, settings, tell } from './worker.channel.js';
import { CommandReceiver } from './command.receiver.js';
import type { JobKind } from './worker.protocol.js';
import { sourceForClient } from '../support/client.choice.js';

const JOBS: Readonly<Record<Exclude<JobKind, 'route'>, Type>> = {
  counted: CountedJob,
  retried: RetriedJob,
  other: OtherJob,
  'empty-zone': EmptyZoneJob,
  failing: FailingJob,
  'on-init': OnInitJob,
  'slow-start': SlowStart,
  interval: IntervalJob,
  caller: CallerJob,
  timeout: TimeoutJob,
  dated: DatedJob,
};

const isApi = settings.jobs.includes('route');

@Module({
  imports: [
    ScheduleModule.forRoot(),
    DistributedLockModule.forRoot({
      redis: sourceForClient(settings.redis),
      namePrefix: settings.prefix,
      appName: settings.appName,
      lockWatchdogTimeout: settings.lockWatchdogTimeout,
      shutdownTimeout: 500,
    }),
  ],
  controllers: isApi ? [RouteJob] : [],
  providers: [
    WorkStage,
    CommandReceiver,
    ...settings.jobs.flatMap((job) => (job === 'route' ? [] : [JOBS[job]])),
  ],
})
class WorkerModule {}

const app = await NestFactory.create(WorkerModule, { logger: new ChannelLogger() });
app.enableShutdownHooks();
app.get(CommandReceiver).listen(app);
process.once('disconnect', () => process.exit());
if (isApi) await app.listen(0, '127.0.0.1');
else await app.init();
tell({ kind: 'ready', url: isApi ? await app.getUrl() : undefined });
