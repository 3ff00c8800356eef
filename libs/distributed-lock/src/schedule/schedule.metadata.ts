import 'reflect-metadata';

/** The options of `@Cron`, as far as they are read here. */
export interface CronSchedule {
  readonly kind: 'cron';
  readonly name: string | undefined;
  /** The expression, or the epoch ms of a job that fires once. */
  readonly cronTime: string | number;
  readonly timeZone: string | undefined;
  /** Minutes. */
  readonly utcOffset: number | undefined;
  /** cron's, which the decorator hands on without declaring it. */
  readonly runOnInit: boolean;
}

/** `@Interval` and `@Timeout`. */
export interface TimerSchedule {
  readonly kind: 'interval' | 'timeout';
  readonly ms: number;
}

export type Schedule = CronSchedule | TimerSchedule;

/** @nestjs/schedule's `SchedulerType`: the peer is optional, and is not imported for a number. */
const CRON = 1;
const TIMEOUT = 2;
const INTERVAL = 3;

/** What @nestjs/schedule's decorators wrote on a method; undefined for a method without one. */
export function readSchedule(method: unknown): Schedule | undefined {
  if (typeof method !== 'function') return undefined;
  switch (Reflect.getMetadata('SCHEDULER_TYPE', method)) {
    case CRON:
      return readCron(optionsOf(method, 'SCHEDULE_CRON_OPTIONS'));
    case TIMEOUT:
      return { kind: 'timeout', ms: Number(optionsOf(method, 'SCHEDULE_TIMEOUT_OPTIONS')['timeout'] ?? 0) };
    case INTERVAL:
      return { kind: 'interval', ms: Number(optionsOf(method, 'SCHEDULE_INTERVAL_OPTIONS')['timeout'] ?? 0) };
    default:
      return undefined;
  }
}

function readCron(options: Readonly<Record<string, unknown>>): CronSchedule {
  const { name, cronTime, timeZone, utcOffset, runOnInit } = options;
  return {
    kind: 'cron',
    name: typeof name === 'string' ? name : undefined,
    // A Date or a luxon DateTime: both turn into their epoch ms.
    cronTime: typeof cronTime === 'string' ? cronTime : Number(cronTime),
    timeZone: typeof timeZone === 'string' ? timeZone : undefined,
    utcOffset: typeof utcOffset === 'number' ? utcOffset : undefined,
    runOnInit: Boolean(runOnInit),
  };
}

function optionsOf(method: object, key: string): Readonly<Record<string, unknown>> {
  return Object(Reflect.getMetadata(key, method));
}
