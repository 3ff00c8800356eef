import 'reflect-metadata';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { currentLock, DistributedLock, LockService } from 'nestjs-distributed-lock';
import { CONTEXT, MatrixStage } from './matrix.stage.js';

/** What a member of the fleet has seen: one line of JSON for each. */
type Sighting =
  | { readonly saw: 'tick'; readonly tick: number | undefined }
  | { readonly saw: 'grant'; readonly token: string }
  | { readonly saw: 'loss'; readonly isHeld: boolean }
  | { readonly saw: 'end' };

function tell(sighting: Sighting): void {
  console.log(JSON.stringify(sighting));
}

@Injectable()
class Jobs {
  @Cron('* * * * * *')
  @DistributedLock('job')
  async run(): Promise<void> {
    tell({ saw: 'tick', tick: currentLock()?.tick });
  }
}

/** Waits for a fenced lock, and holds it until it is lost, or the application is shut down; again and again. */
async function lead(locks: LockService): Promise<void> {
  for (;;) {
    const handle = await locks.getFencedLock('leader').lock();
    tell({ saw: 'grant', token: `${handle.token}` });
    await new Promise((resolve) => handle.signal.addEventListener('abort', resolve, { once: true }));
    tell({ saw: 'loss', isHeld: handle.isHeld });
    await handle.unlock();
  }
}

/** A process of a fleet: a job, and a lock that one of them holds. It ends by SIGTERM. */
async function main(): Promise<void> {
  const { REDIS_URL = '', MATRIX_PREFIX = '' } = process.env;
  await MatrixStage.loadClient();
  const stage = new MatrixStage(REDIS_URL, MATRIX_PREFIX);
  const locks = stage.locks(undefined, { lockWatchdogTimeout: '3s', shutdownTimeout: '500ms' });

  @Module({ imports: [ScheduleModule.forRoot(), locks], providers: [Jobs] })
  class AppModule {
    onApplicationShutdown(): void {
      tell({ saw: 'end' });
    }
  }
  const app = await NestFactory.createApplicationContext(AppModule, CONTEXT);
  // Without names Nest listens to signals that Deno refuses.
  app.enableShutdownHooks(['SIGTERM']);
  void lead(app.get(LockService)).catch((error: unknown) =>
    Logger.debug(`the lead is over: ${String(error)}`),
  );
}

void main();
