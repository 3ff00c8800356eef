import { LockConfigurationError } from '../errors/lock.errors.js';
import { jobName } from './job.name.js';
import type { GuardedMethod } from '../scheduler/scheduled.finder.js';
import type { ScheduledMethod } from '../scheduler/scheduled.method.js';
import type { ExplorerLike, MountList } from '../scheduler/scheduler.finder.js';
import type { Schedule } from '../scheduler/schedule.metadata.js';

/** The options that only a schedule gives a meaning. */
const TICK_OPTIONS = [
  'overlap',
  'onCrash',
  'catchUp',
  'grace',
  'maxHold',
  'shared',
  'minInterval',
] as const satisfies readonly (keyof GuardedMethod['guard']['options'])[];

const LISTS: Readonly<Record<Schedule['kind'], MountList>> = {
  cron: 'cronJobs',
  interval: 'intervals',
  timeout: 'timeouts',
};

/** @throws LockConfigurationError `INVALID_OPTION` for tick options on a method without a schedule */
export function checkGuards(methods: readonly GuardedMethod[]): void {
  for (const { guard, schedule } of methods) {
    if (schedule !== undefined) {
      jobName(guard.key, guard.where);
      continue;
    }
    const given = TICK_OPTIONS.filter((option) => guard.options[option] !== undefined);
    if (given.length === 0) continue;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `${guard.where} has no schedule, so ${given.join(', ')} would have no effect. Add @Cron, @Interval or @Timeout to the method, or remove ${given.length === 1 ? 'the option' : 'the options'}.`,
    );
  }
}

/**
 * Checks that each guarded schedule has its job in a scheduler, unless its kind is turned off there.
 * @throws LockConfigurationError `UNBOUND_SCHEDULE`
 */
export function checkMounted(
  scheduled: readonly GuardedMethod[],
  methods: readonly { readonly method: ScheduledMethod }[],
  explorers: readonly ExplorerLike[],
): void {
  for (const { guard, schedule, instance } of scheduled) {
    if (schedule === undefined || !explorers.some(({ moduleOptions }) => moduleOptions[LISTS[schedule.kind]]))
      continue;
    if (methods.some(({ method }) => method.guard === guard && method.instance === instance)) continue;
    throw unbound(guard.where, instance === undefined ? NOT_STATIC : NOT_SEEN);
  }
}

/** @param why what to do about it, behind a colon */
export function unbound(where: string, why = NOT_SEEN): LockConfigurationError {
  return new LockConfigurationError(
    'UNBOUND_SCHEDULE',
    `${where} has a schedule that the scheduler does not run: ${why}.`,
  );
}

const NOT_STATIC =
  'its class is made for each request or consumer. Move the method to a provider of the default scope, and resolve request-scoped providers by ModuleRef';
const NOT_SEEN =
  'the scheduler does not find the schedule on the method of the instance. Its name may be a symbol, another job may have its name, or its function was replaced (in the constructor, by a test, or by a decorator that keeps no metadata): put the schedule above such a decorator';
