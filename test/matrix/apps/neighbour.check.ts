import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Cron } from '@nestjs/schedule';
import { createObserveModule } from '@nestjs/observe';
import { Redis } from 'ioredis';
import { ClsModule, InjectableProxy } from 'nestjs-cls';
import { Logger, LoggerModule } from 'nestjs-pino';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import type { MatrixStage } from './matrix.stage.js';
import { runBeside, type TickedJobs } from './neighbour.app.js';

/** A proxy provider of nestjs-cls: every access outside of a request throws. */
@InjectableProxy({ strict: true })
class Tenant {
  id = 'none';
}

export async function checkCls(stage: MatrixStage): Promise<string> {
  await runBeside(stage, () => ({
    imports: [ClsModule.forRoot({ global: true, middleware: { mount: true } }), ClsModule.forFeature(Tenant)],
  }));
  return 'boots beside strict proxy providers';
}

export async function checkConfig(stage: MatrixStage): Promise<string> {
  const values = { REDIS: stage.redis, PREFIX: stage.prefix };
  const apps = await runBeside(stage, () => ({
    imports: [ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [() => values] })],
    locks: () =>
      DistributedLockModule.forRootAsync({
        inject: [ConfigService],
        useFactory: (config: ConfigService) => ({
          redis: config.getOrThrow<string>('REDIS'),
          namePrefix: config.getOrThrow<string>('PREFIX'),
          appName: 'config',
        }),
      }),
  }));
  const key = `${stage.prefix}configured`;
  const client = new Redis(stage.redis);
  stage.closes({ close: async () => client.disconnect() });
  const [app] = apps;
  const found = await app?.get(LockService).using('configured', () => client.exists(key));
  assert.equal(found, 1, 'the lock is not where the configuration says');
  return 'forRootAsync with ConfigService';
}

export async function checkObserve(stage: MatrixStage): Promise<string> {
  const collector = createServer((request, response) => {
    request.resume();
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  stage.closes({
    close: async () => {
      collector.closeAllConnections();
      await new Promise((resolve) => collector.close(resolve));
    },
  });
  const { port } = collector.address() as AddressInfo;
  await runBeside(stage, () => {
    const { ObserveModule, ObserveInstrument } = createObserveModule();
    return {
      imports: [
        ObserveModule.forRoot({
          appKey: 'key',
          appSecret: 'secret',
          serviceId: 'matrix',
          endpoint: `http://127.0.0.1:${port}`,
        }),
      ],
      options: { instrument: ObserveInstrument },
    };
  });
  return 'its quick start: each instance behind a Proxy';
}

export async function checkPino(stage: MatrixStage): Promise<string> {
  const lines: string[] = [];
  const apps = await runBeside(stage, () => ({
    imports: [
      LoggerModule.forRoot({
        pinoHttp: [{ level: 'info' }, { write: (line: string) => void lines.push(line) }],
      }),
    ],
    prepare: (app) => app.useLogger(app.get(Logger)),
    options: { bufferLogs: true },
  }));
  const [app] = apps;
  assert.ok(app);
  const [logger, locks] = [app.get(Logger), app.get(LockService)];
  const lock = locks.getLock('logged');
  await lock.using((handle) => {
    logger.log({ handle, lock, locks }, 'a lock');
  });
  const line = lines.find((each) => each.includes('a lock')) ?? '';
  assert.ok(line.includes('logged'), 'the lock was not logged');
  assert.ok(line.length < 2000, `a line of ${line.length} characters`);
  return 'a logged lock, handle and service have less than 2000 characters';
}

interface Sentry {
  SentryCron(
    slug: string,
    config?: object,
  ): (target: object, key: string | symbol, descriptor: PropertyDescriptor) => PropertyDescriptor;
}

/** Installs beside Nest 11 only, so that the compiler cannot know it. */
const SENTRY: string = '@sentry/nestjs';

export async function checkSentry(stage: MatrixStage): Promise<string> {
  const { SentryCron } = (await import(SENTRY)) as Sentry;

  @Injectable()
  class Monitored implements TickedJobs {
    readonly ticks: string[] = [];

    @Cron('* * * * * *')
    @DistributedLock('sentry-inner')
    @SentryCron('inner')
    async inner(): Promise<void> {
      this.ticks.push(`inner ${String(currentLock()?.tick)}`);
    }

    @Cron('* * * * * *')
    @SentryCron('outer')
    @DistributedLock('sentry-outer')
    async outer(): Promise<void> {
      this.ticks.push(`outer ${String(currentLock()?.tick)}`);
    }
  }
  await runBeside(stage, () => ({ jobs: Monitored }));
  return '@SentryCron above and below the guard';
}
