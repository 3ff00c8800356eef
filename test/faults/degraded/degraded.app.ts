import { Controller, Get, Module, type INestApplication, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import type { RedisOptions } from 'ioredis';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { until } from '../../support/until.js';
import { sourceForClient } from '../../support/client.choice.js';

/** The deadline of one round trip, in ms: the default. */
export const COMMAND_TIMEOUT = 1000;

/** Work that began under a lock. */
export interface Run {
  readonly of: 'handler' | 'cron';
  readonly at: number;
  readonly isLocked: boolean;
}

/** Warnings and errors in the log of this process' applications: Nest has one log for all of them, and each line names its lock. */
export const logged: string[] = [];
const note = (level: string) => (message: unknown) => void logged.push(`${level}: ${String(message)}`);
const logger: LoggerService = {
  log: () => undefined,
  warn: note('warn'),
  error: note('error'),
  fatal: note('fatal'),
};

/** A real application: a route that needs no lock, a guarded one, and a job that ticks every second. */
export class DegradedApp {
  readonly locks: LockService;
  /** When the end of a run of the job was answered last. */
  #finishedAt = 0;

  private constructor(
    private readonly slug: string,
    private readonly nest: INestApplication,
    readonly url: string,
    readonly runs: readonly Run[],
  ) {
    this.locks = nest.get(LockService);
    this.locks.events.listen({ tickFinished: () => void (this.#finishedAt = performance.now()) });
  }

  /** @param slug in the names of all its locks */
  static async start(slug: string, redis: RedisOptions): Promise<DegradedApp> {
    const runs: Run[] = [];
    const run = (of: Run['of']) =>
      void runs.push({ of, at: performance.now(), isLocked: currentLock()?.isHeld === true });

    @Controller()
    class Desk {
      @Get('free')
      free() {
        return 'served';
      }

      @Get('guarded')
      @DistributedLock(`desk:${slug}`)
      async guarded() {
        run('handler');
        return 'served';
      }

      @Cron('* * * * * *')
      @DistributedLock(`job:${slug}`)
      async tick() {
        run('cron');
      }
    }

    @Module({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis: sourceForClient(redis), shutdownTimeout: 500 }),
      ],
      controllers: [Desk],
    })
    class AppModule {}

    const nest = await NestFactory.create(AppModule, { logger, abortOnError: false });
    await nest.listen(0, '127.0.0.1');
    return new DegradedApp(slug, nest, await nest.getUrl(), runs);
  }

  /** Waits until a tick has run, and its lock is free and known to be free: the next one is most of a second away. */
  async ticked(): Promise<void> {
    const from = performance.now();
    await until('a tick has run', () => {
      const last = this.runsOf('cron', from).at(-1);
      return last !== undefined && this.#finishedAt > last.at;
    });
  }

  /** Runs of one kind that began in a span of time. */
  runsOf(of: Run['of'], from = 0, to = Infinity): readonly Run[] {
    return this.runs.filter((run) => run.of === of && run.at >= from && run.at < to);
  }

  async close(): Promise<void> {
    await this.nest.close();
  }
}
