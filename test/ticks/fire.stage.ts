import {
  Module,
  type DynamicModule,
  type INestApplicationContext,
  type LoggerService,
  type Provider,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { currentLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { inject } from 'vitest';
import { uniquePrefix } from '../support/services.js';
import { sourceForClient } from '../support/client.choice.js';

/** A run, as the work saw it; a direct call has no tick. */
export interface SeenRun {
  readonly tick: number | undefined;
  readonly at: number;
}

export interface StageOptions {
  /** @default one with the defaults; null for none */
  readonly schedule?: DynamicModule | null;
  readonly imports?: readonly DynamicModule[];
  readonly controllers?: readonly (new (...args: never[]) => object)[];
  readonly watchdog?: number;
  /** In ms. @default the module's */
  readonly commandTimeout?: number;
  /** In ms. @default 100 */
  readonly shutdownTimeout?: number;
  /** @default the one that tests share */
  readonly redis?: string;
}

/** Nest has one logger for the process: what the applications of all tests log, by the job that a line names. */
const LINES: { readonly level: string; readonly text: string }[] = [];

/** For every application of a test: the last one's is that of all. */
export function fireLogger(): LoggerService {
  const note = (level: string) => (text: unknown) => void LINES.push({ level, text: String(text) });
  return { log: note('log'), warn: note('warn'), error: note('error'), debug: note('debug') };
}

/** Applications of one fleet in this process, each with its own timers and connections, and what they log. */
export class FireStage {
  readonly prefix = uniquePrefix();
  /** The key of the guarded method of this test. */
  readonly job = `job of ${this.prefix}`;
  readonly runs: SeenRun[] = [];
  readonly #apps: INestApplicationContext[] = [];

  /** For the work of a guarded method. */
  note(): void {
    this.runs.push({ tick: currentLock()?.tick, at: Date.now() });
  }

  /** Makes applications, one after the other. */
  async start(
    count: number,
    providers: readonly Provider[],
    {
      schedule = ScheduleModule.forRoot(),
      imports = [],
      controllers = [],
      watchdog = 3000,
      commandTimeout,
      shutdownTimeout = 100,
      redis = inject('redisUrl'),
    }: StageOptions = {},
  ): Promise<INestApplicationContext[]> {
    const started: INestApplicationContext[] = [];
    for (let index = 0; index < count; index += 1) {
      const locks = DistributedLockModule.forRoot({
        redis: sourceForClient(redis),
        namePrefix: this.prefix,
        lockWatchdogTimeout: watchdog,
        commandTimeout,
        shutdownTimeout,
        // Some tests count the calls of all instances.
        instanceInfo: false,
      });
      @Module({})
      class AppModule {}
      const root: DynamicModule = {
        module: AppModule,
        imports: [...(schedule === null ? [] : [schedule]), locks, ...imports],
        providers: [...providers],
        controllers: [...controllers],
      };
      const app = await NestFactory.createApplicationContext(root, {
        logger: fireLogger(),
        abortOnError: false,
      });
      this.#apps.push(app);
      started.push(app);
    }
    return started;
  }

  /** What was logged about this job, or this fleet. */
  lines(...levels: readonly string[]): string[] {
    return LINES.flatMap(({ level, text }) =>
      levels.includes(level) && text.includes(this.prefix) ? [text] : [],
    );
  }

  warnings(part: string): string[] {
    return this.lines('warn', 'error').filter((text) => text.includes(part));
  }

  async close(): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.close()));
  }
}

export const registryOf = (app: INestApplicationContext): SchedulerRegistry => app.get(SchedulerRegistry);
export const locksOf = (app: INestApplicationContext): LockService => app.get(LockService);

/** What a test of fires needs. */
export interface FireFixtures {
  /** A stage of the test's own. */
  stage: FireStage;
}

/** For `test.extend`. */
export const fireFixtures = {
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  stage: async ({}: object, use: (stage: FireStage) => Promise<void>): Promise<void> => {
    const stage = new FireStage();
    try {
      await use(stage);
    } finally {
      await stage.close();
    }
  },
};
