import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type INestApplication } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronTime } from 'cron';
import { LockService } from 'nestjs-distributed-lock';
import { CountedJob } from './cron.jobs.js';
import { IntervalJob } from './timer.jobs.js';
import { WorkStage } from './work.stage.js';
import { tell } from './worker.channel.js';
import type { WorkerCommand } from './worker.protocol.js';
import { standStill } from '../support/stand.still.js';

/** Does what the test asks for. */
@Injectable()
export class CommandReceiver {
  listen(app: INestApplication): void {
    process.on('message', ({ id, command }: { id: number; command: WorkerCommand }) => {
      obey(app, command).then(
        (value) => tell({ kind: 'answer', id, value }),
        (error: unknown) => tell({ kind: 'answer', id, error: String(error) }),
      );
    });
  }
}

/** What the declarations leave out, because it is internal. */
interface EngineLike {
  readonly context: { readonly wheel: { readonly size: number } };
}

async function obey(app: INestApplication, command: WorkerCommand): Promise<unknown> {
  switch (command.do) {
    case 'call':
      return await app
        .get<CountedJob | IntervalJob>(command.job === 'counted' ? CountedJob : IntervalJob)
        .run();
    case 'block':
      standStill(command.ms);
      return undefined;
    case 'release':
      app.get(WorkStage).release();
      return undefined;
    case 'set-time':
      app.get(SchedulerRegistry).getCronJob('counted').setTime(new CronTime(command.cron));
      return undefined;
    case 'stop-job':
      await app.get(SchedulerRegistry).getCronJob('counted').stop();
      return undefined;
    case 'hold':
      await app
        .get(LockService)
        .getLock('counted')
        .using(() => sleep(command.ms));
      return undefined;
    case 'pause':
    case 'resume':
    case 'forget':
    case 'status':
      return await app.get(LockService).jobs[command.do]('counted');
    case 'run-now':
      return await app.get(LockService).jobs.runNow('counted');
    case 'count-timers':
      return countTimers(app.get(LockService));
    case 'close':
      await app.close();
      setImmediate(() => process.disconnect());
      return undefined;
  }
}

function countTimers(locks: LockService & { readonly engine?: EngineLike }): number | undefined {
  return locks.engine?.context.wheel.size;
}
