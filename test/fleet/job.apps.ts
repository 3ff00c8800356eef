import type { INestApplication, Type } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { until } from '../support/until.js';

export const EACH_SECOND = '* * * * * *';
/** The first of January: no tick comes during a test. */
export const YEARLY = '0 0 0 1 1 *';

/** A class with one job. */
export function jobOf(key: string, cron: string): Type {
  class Job {
    @Cron(cron)
    @DistributedLock(key)
    async run(): Promise<void> {}
  }
  return Job;
}

/** A class with two methods that share one job. */
export function sharedJobOf(key: string, cron: string): Type {
  class Job {
    @Cron(cron)
    @DistributedLock(key, { shared: true })
    async run(): Promise<void> {}

    @Cron(cron)
    @DistributedLock(key, { shared: true })
    async runToo(): Promise<void> {}
  }
  return Job;
}

/** Waits until some instance has run a job. */
export async function hasRun(locks: LockService, job: string): Promise<void> {
  await until(`${job} has run`, async () => (await locks.jobs.status(job))?.lastRun !== undefined, 10_000);
}

/** An application with jobs, and its locks. */
export interface RunningApp {
  readonly app: INestApplication;
  readonly locks: LockService;
}

/** Applications of one `namePrefix` in this process. They report themselves. */
export class JobApps {
  readonly #running = new Set<INestApplication>();

  constructor(
    private readonly redis: RedisSource,
    private readonly namePrefix: string,
  ) {}

  /** Starts an application. Its instance has reported its jobs, and Redis has all of them in its list. */
  async start(appName: string, ...jobs: readonly Type[]): Promise<RunningApp> {
    const { redis, namePrefix } = this;
    const module = await Test.createTestingModule({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis, namePrefix, appName, shutdownTimeout: 200 }),
      ],
      providers: [...jobs],
    }).compile();
    const app = await module.createNestApplication({ logger: false }).init();
    this.#running.add(app);
    const locks = app.get(LockService);
    const { client } = locks.engine.context.ids;
    await until(
      `${appName} reports`,
      async () => (await locks.fleet.instances()).some(({ id }) => id === client),
      10_000,
    );
    await locks.jobs.list();
    return { app, locks };
  }

  /** Starts an application whose job has a new name: it has run under the former one. */
  async startRenamed(appName: string, former: string, name: string): Promise<void> {
    const before = await this.start(appName, jobOf(former, EACH_SECOND));
    await hasRun(before.locks, former);
    await this.stop(before);
    await this.start(appName, jobOf(name, YEARLY));
  }

  async stop({ app }: RunningApp): Promise<void> {
    this.#running.delete(app);
    await app.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((app) => app.close()));
    this.#running.clear();
  }
}
