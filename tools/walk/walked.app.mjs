import 'reflect-metadata';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { MODULES } from '../build/library.bundler.mjs';
import { ROOT } from '../build/node.runner.mjs';

/** @type {typeof import('../../libs/distributed-lock/src/index.js')} */
const library = await import(pathToFileURL(join(ROOT, MODULES, 'index.js')).href);

/**
 * Opens an application with one module for each source of the library, not with the bundle: V8 counts by file.
 * @param {string} url of a Redis
 * @param {() => void} [onTick] called by a job in each second; no job without it
 */
export async function openApp(url, onTick) {
  const { DistributedLock, DistributedLockModule, LockService } = library;
  class Jobs {
    async everySecond() {
      onTick?.();
    }
  }
  class Root {
    name = 'walk';
  }
  const locks = DistributedLockModule.forRoot({ appName: 'walk', redis: url });
  const schedule = onTick === undefined ? [] : [ScheduleModule.forRoot()];
  const method = Object.getOwnPropertyDescriptor(Jobs.prototype, 'everySecond');
  if (method === undefined) throw new TypeError('the job has no method');
  DistributedLock('walk.job')(Jobs.prototype, 'everySecond', method);
  Object.defineProperty(Jobs.prototype, 'everySecond', method);
  Cron('* * * * * *')(Jobs.prototype, 'everySecond', method);
  const app = await NestFactory.createApplicationContext(
    { module: Root, imports: [locks, ...schedule], providers: onTick === undefined ? [] : [Jobs] },
    { logger: ['error', 'warn'] },
  );
  return { app, locks: app.get(LockService) };
}
