import 'reflect-metadata';
import { Injectable, Module, type ModuleMetadata, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import {
  DistributedLock,
  DistributedLockModule,
  LeaderOnly,
  LockService,
  type DistributedLockModuleOptions,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownRedis } from '../locks/own.redis.js';
import { RedisView } from '../locks/redis.view.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

@Injectable()
class Sync {
  @(DistributedLock('sync') as MethodDecorator)
  run(): string {
    return 'at once';
  }
}

@Injectable()
class Job {
  @Cron('0 0 1 1 *')
  @DistributedLock('job')
  async run(): Promise<void> {
    await Promise.resolve();
  }
}

@Injectable()
class SameJob {
  @Cron('0 0 2 2 *')
  @DistributedLock('job')
  async run(): Promise<void> {
    await Promise.resolve();
  }
}

@Injectable()
class Leader {
  @LeaderOnly('contested')
  async run(): Promise<void> {
    await Promise.resolve();
  }
}

/** Uses the name of a leadership for another kind of lock. */
@Injectable()
class Rival implements OnModuleInit {
  constructor(private readonly locks: LockService) {}

  onModuleInit(): void {
    this.locks.getSemaphore('contested');
  }
}

@Injectable()
class Broken implements OnModuleInit {
  onModuleInit(): void {
    throw new Error('another module is broken');
  }
}

const server = ownRedis();
let view: RedisView;
beforeEach(async () => {
  view = new RedisView(server().url);
  // Its own sockets are there before those of a boot are counted.
  await view.listen('any');
  await view.redis.ping();
});
afterEach(() => view.close());

const NAME = 'refused-boot';
const locksOf = (options: Partial<DistributedLockModuleOptions> = {}, name?: string) =>
  DistributedLockModule.forRoot({
    redis: `${server().url}?connectionName=${NAME}`,
    shutdownTimeout: 100,
    ...(name !== undefined && { name }),
    ...options,
  });
const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCPSocket')).length;

/** Everything for which the library refuses a boot. */
const REASONS: Readonly<Record<string, () => ModuleMetadata>> = {
  'an option of the module': () => ({ imports: [locksOf({ busyStatus: Object(200) })] }),
  'an option of a second module': () => ({ imports: [locksOf(), locksOf({ maxHold: 0 }, 'second')] }),
  'a second module of the same name': () => ({ imports: [locksOf(), locksOf({ maxHold: 1000 })] }),
  'too few servers of red locks': () => ({ imports: [locksOf({ redLock: { servers: [server().url] } })] }),
  'a server of red locks that is no source': () => ({
    imports: [locksOf({ redLock: { servers: [server().url, `${server().url}/1`, 'http://localhost'] } })],
  }),
  'no majority of the servers of red locks': () => ({
    imports: [
      locksOf({ redLock: { servers: [server().url, 'redis://127.0.0.1:1', 'redis://127.0.0.1:2'] } }),
    ],
  }),
  'a Redis of a second module that cannot be reached': () => ({
    imports: [locksOf(), locksOf({ redis: 'redis://127.0.0.1:1' }, 'second')],
  }),
  'a guarded method that is not async': () => ({ imports: [locksOf()], providers: [Sync] }),
  'two jobs of one key': () => ({
    imports: [locksOf(), ScheduleModule.forRoot()],
    providers: [Job, SameJob],
  }),
  'a leadership whose name is another kind of lock': () => ({
    imports: [locksOf()],
    providers: [Leader, Rival],
  }),
};

describe('a boot that the library refuses leaves no connection, for', () => {
  test.each(Object.entries(REASONS))(
    '%s',
    async (_, metadata) => {
      const before = sockets();
      @Module(metadata())
      class AppModule {}
      const boot = NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
      await expect(boot).rejects.toMatchObject({ name: expect.stringMatching(/^Lock/) });
      // A module that was still connecting when another one was refused closes its connections when it has them.
      await until('the server has none', async () => (await view.connections(NAME)).length === 0);
      await until('its sockets are closed', () => sockets() <= before);
    },
    scaled(20_000),
  );
});

test('a boot that another module refuses is ended by close(), once and again', async () => {
  @Module({ imports: [locksOf()], providers: [Broken] })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  await expect(app.init()).rejects.toThrow('another module is broken');
  await app.close();
  await until('its connections are closed', async () => (await view.connections(NAME)).length === 0);
  await app.close();
  expect(await view.connections(NAME)).toEqual([]);
});
