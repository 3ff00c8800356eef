import 'reflect-metadata';
import type { MountEntry, MountList } from './scheduler.finder.js';

/** The options of `@Cron`, as far as they are read here. */
export interface CronSchedule {
  readonly kind: 'cron';
  /** Whether it is a Date, which each instance computes for itself, and not an expression. */
  readonly isDate: boolean;
  /** An option of cron, which the decorator hands on without declaring it. */
  readonly runOnInit: boolean;
  /** Another one: whether an alarm is left out while the fire of an earlier one has not ended. */
  readonly waitsForCompletion: boolean;
}

/** `@Interval` and `@Timeout`. */
export interface TimerSchedule {
  readonly kind: 'interval' | 'timeout';
  /** NaN where the decorator was given none. */
  readonly ms: number;
}

export type Schedule = CronSchedule | TimerSchedule;

/** @nestjs/schedule's `SchedulerType`: the peer is optional, and is not imported for a number. */
const CRON = 1;
const TIMEOUT = 2;
const INTERVAL = 3;

/** The schedule that @nestjs/schedule's decorators wrote on a method; undefined for a method without one. */
export function readSchedule(method: unknown): Schedule | undefined {
  if (typeof method !== 'function') return undefined;
  switch (Reflect.getMetadata('SCHEDULER_TYPE', method)) {
    case CRON:
      return readCron(optionsOf(method, 'SCHEDULE_CRON_OPTIONS'));
    case TIMEOUT:
      return { kind: 'timeout', ms: Number(optionsOf(method, 'SCHEDULE_TIMEOUT_OPTIONS')['timeout']) };
    case INTERVAL:
      return { kind: 'interval', ms: Number(optionsOf(method, 'SCHEDULE_INTERVAL_OPTIONS')['timeout']) };
    default:
      return undefined;
  }
}

/** The schedule as it stands in the scheduler's own list, which the scheduler uses. */
export function scheduleOfEntry(list: MountList, { options, timeout }: MountEntry): Schedule {
  if (list === 'cronJobs') return readCron({ ...options });
  return { kind: list === 'intervals' ? 'interval' : 'timeout', ms: Number(timeout) };
}

function readCron(options: Readonly<Record<string, unknown>>): CronSchedule {
  const { cronTime, runOnInit, waitForCompletion } = options;
  return {
    kind: 'cron',
    isDate: typeof cronTime !== 'string',
    runOnInit: Boolean(runOnInit),
    waitsForCompletion: Boolean(waitForCompletion),
  };
}

function optionsOf(method: object, key: string): Readonly<Record<string, unknown>> {
  return Object(Reflect.getMetadata(key, method));
}
