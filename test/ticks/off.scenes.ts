import type { DynamicModule, INestApplicationContext, Provider } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import type { Redis } from 'ioredis';
import type { TickWay } from '../../libs/distributed-lock/src/jobs/job.claimer.port.js';
import { locksOf, registryOf, type FireStage } from './fire.stage.js';

/** Where a run was noted. */
export type Place = 'off' | 'on';

/** An instance on which a job is off, and how it came to that. */
export interface OffReason {
  /** Of `@Cron`. */
  readonly cron?: object;
  readonly schedule?: () => DynamicModule;
  /** Turns the job off, or not on yet, once the application has started. */
  readonly turnOff?: (app: INestApplicationContext) => unknown;
}

/** Reasons for a job to be off on an instance. */
export const OFF_REASONS: Readonly<Record<string, OffReason>> = {
  'it is disabled': { cron: { disabled: true } },
  'its kind is turned off by the options of the module': {
    schedule: () => ScheduleModule.forRoot({ cronJobs: false }),
  },
  'it is still before its initialDelay': { cron: { initialDelay: 3_600_000 } },
  'it was stopped': { turnOff: (app) => registryOf(app).getCronJob('job').stop() },
  'it was deleted': { turnOff: (app) => registryOf(app).deleteCronJob('job') },
  'its application was closed': { turnOff: (app) => app.close() },
};

/** What a way to begin a run needs. */
export interface WayContext {
  readonly stage: FireStage;
  readonly admin: Redis;
  /** The job's record in Redis. */
  readonly record: string;
  /** The latest tick of the schedule, epoch ms. */
  readonly latest: number;
  /** An instance without the job, which asks. */
  readonly asker: INestApplicationContext;
}

/** One way in which a run can begin on an instance, brought about from outside. */
export interface BeginWay {
  /** What the library calls it. */
  readonly way: TickWay;
  /** Whether the schedule ticks every second. @default its latest tick was half an hour ago, and so is its next one away */
  readonly ticks?: boolean;
  readonly bring: (context: WayContext) => Promise<unknown>;
}

/** Tells instances that something waits. */
async function look({ stage, admin }: WayContext): Promise<void> {
  await admin.publish(`lock_job__channel:{${stage.prefix}${stage.job}}`, 'look');
}

/** Cuts the subscriptions, so that each instance sees what was missed while they were away. */
async function cut({ admin }: WayContext): Promise<void> {
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
}

const dead = (tick: number) =>
  JSON.stringify({ tick, outcome: 'running', attempt: 1, start: tick, token: '1', app: 'a', instance: 'i' });

export const BEGIN_WAYS: Readonly<Record<string, BeginWay>> = {
  'its timer': { way: 'alarm', ticks: true, bring: () => Promise.resolve() },
  'an instant by the store’s clock': { way: 'wait', ticks: true, bring: cut },
  'a tick that was missed': {
    way: 'catch-up',
    bring: async (context) => {
      await context.admin.hset(context.record, 'mark', `${context.latest - 3_600_000}`);
      await cut(context);
    },
  },
  'a run that died': {
    way: 'look',
    bring: async (context) => {
      await context.admin.hset(context.record, {
        holder: 'dead:1',
        run: dead(context.latest),
        mark: `${context.latest}`,
      });
      await look(context);
    },
  },
  'a tick behind a run that died': {
    way: 'settle',
    ticks: true,
    bring: async (context) => {
      await context.admin.hset(context.record, { holder: 'dead:1', run: dead(context.latest) });
      await look(context);
    },
  },
  'a tick that was handed over': {
    way: 'look',
    bring: async (context) => {
      const handed = [{ tick: context.latest, attempt: 1, at: Date.now() }];
      await context.admin.hset(context.record, 'handed', JSON.stringify(handed));
      await look(context);
    },
  },
  'a queued tick': {
    way: 'look',
    bring: async (context) => {
      await context.admin.hset(context.record, { queued: `${context.latest}`, mark: `${context.latest}` });
      await look(context);
    },
  },
  'a request by runNow': {
    way: 'look',
    bring: ({ asker, stage }) =>
      // The application may close before the request is over.
      Promise.resolve(
        void locksOf(asker)
          .jobs.runNow(stage.job, { timeout: '20s' })
          .catch(() => undefined),
      ),
  },
};

/** The providers of an instance whose job notes where it runs. */
export function jobAt(
  place: Place,
  stage: FireStage,
  runs: Place[],
  expression: string,
  options: object = {},
): Provider[] {
  class Job {
    @Cron(expression, { name: 'job', timeZone: 'UTC', ...options })
    @DistributedLock(stage.job, { catchUp: '55m', onCrash: 'retry', overlap: 'queue' })
    async run(): Promise<void> {
      runs.push(place);
    }
  }
  return [Job];
}
