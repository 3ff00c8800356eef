import { types } from 'node:util';
import { readLeaderMethods } from '../metadata/leader.registry.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { invalidOption } from '../options/option.checks.js';
import type { GuardedMethod } from '../nest-schedule/guard.finder.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import type { ExplorerLike, MountList } from '../nest-schedule/scheduler.finder.js';
import type { Schedule } from '../nest-schedule/schedule.metadata.js';
import { jobName } from './job.name.js';

/** The options that only a schedule gives a meaning. */
const TICK_OPTIONS = [
  'overlap',
  'onCrash',
  'maxAttempts',
  'catchUp',
  'grace',
  'maxHold',
  'shared',
  'minInterval',
  'splay',
  'history',
  'heartbeat',
] as const satisfies readonly (keyof GuardedMethod['guard']['options'])[];

const LISTS: Readonly<Record<Schedule['kind'], MountList>> = {
  cron: 'cronJobs',
  interval: 'intervals',
  timeout: 'timeouts',
};

/** The longest time that setTimeout and setInterval keep, in ms. */
const LONGEST_TIMER = 2_147_483_647;

/** @throws LockConfigurationError `INVALID_OPTION` for tick options on a method without a schedule */
export function checkGuards(methods: readonly GuardedMethod[]): void {
  for (const { guard, schedule } of methods) {
    if (schedule !== undefined) {
      jobName(guard.key, guard.where);
      continue;
    }
    const given = TICK_OPTIONS.filter((option) => guard.options[option] !== undefined);
    if (given.length === 0) continue;
    throw invalidOption(
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

const NOT_STATIC = {
  why: 'has a schedule that the scheduler does not run: its class is created for each request or consumer',
  remedy:
    'Move the method to a provider of the default scope, and resolve request-scoped providers by ModuleRef.',
};
const NOT_SEEN = {
  why: 'has a schedule that the scheduler does not find. Possible causes: the method has a symbol as its name; another job has the same name; the method was replaced',
  remedy: 'If a decorator replaces the method, put the schedule above that decorator.',
};

export function unbound(where: string, { why, remedy } = NOT_SEEN): LockConfigurationError {
  return new LockConfigurationError('UNBOUND_SCHEDULE', `${where} ${why}.`, undefined, undefined, remedy);
}

/**
 * Refuses jobs that would not do what their options describe.
 * @throws LockConfigurationError `DUPLICATE_JOB` for two methods with one key, `INVALID_OPTION` for a policy that its
 * schedule cannot have, or a kind of lock that ticks do not have
 */
export function checkJobs(methods: readonly ScheduledMethod[]): void {
  const first = new Map<string, ScheduledMethod>();
  for (const method of methods) {
    checkTime(method);
    checkPolicies(method);
    checkKind(method);
    const other = first.get(method.job);
    if (other === undefined) first.set(method.job, method);
    else if (!isSame(other, method)) checkShared(other, method);
  }
}

/** Two instances of one class are one job. */
function isSame(one: ScheduledMethod, other: ScheduledMethod): boolean {
  return classOf(one) === classOf(other) && one.guard.methodKey === other.guard.methodKey;
}

function checkShared(one: ScheduledMethod, other: ScheduledMethod): void {
  if (one.options.shared === true && other.options.shared === true) return;
  throw new LockConfigurationError(
    'DUPLICATE_JOB',
    `${nameOf(one)} and ${nameOf(other)} are scheduled with the same key "${one.job}": only one of the two methods would run at each tick.`,
    one.job,
  );
}

/** Not the class of a Proxy, which is not touched: its guard knows the class of the method. */
function classOf({ instance, guard }: ScheduledMethod): unknown {
  return types.isProxy(instance) ? guard : instance.constructor;
}

function nameOf({ instance, guard, where }: ScheduledMethod): string {
  return types.isProxy(instance) ? where : `${instance.constructor.name}.${String(guard.methodKey)}`;
}

/** Refuses times that Node's timers, or the instances' clocks, would change. */
function checkTime({ where, job, options, schedule }: ScheduledMethod): void {
  const refuse = (why: string) => {
    throw invalidOption(`${where} cannot have ${why}`, job);
  };
  if (schedule.kind === 'cron') {
    if (schedule.isDate && options.minInterval === undefined)
      refuse(
        'a @Cron of a Date alone: each instance computes its own Date, and the fleet would run the job once for each instance. Add minInterval to run it at most once in the fleet within that time, or use a cron expression, or locks.runOnce() with an instant that all instances share.',
      );
    return;
  }
  const { kind, ms } = schedule;
  const decorator = kind === 'interval' ? '@Interval' : '@Timeout';
  const least = kind === 'interval' ? 1 : 0;
  if (ms > LONGEST_TIMER)
    refuse(
      `${decorator}(${ms}): Node's timers are limited to ${LONGEST_TIMER} ms (24.8 days), and treat a longer time as 1 ms. Use @Cron with an expression.`,
    );
  if (!(ms >= least))
    refuse(
      `${decorator}(${ms}): Node's timers treat it as 1 ms. Set ${least === 1 ? 'at least 1 ms' : 'no less than 0 ms'}.`,
    );
}

/** An option without an effect must not seem to work. */
function checkPolicies(method: ScheduledMethod): void {
  const { where, job, options, schedule } = method;
  const { onCrash, overlap, catchUp, shared, minInterval, maxAttempts, splay } = options;
  const { grace, maxHold, history, heartbeat } = options;
  const refuse = (option: string, why: string) => {
    throw invalidOption(`${where} cannot have ${option}: ${why}.`, job);
  };
  if (catchUp !== undefined && (schedule.kind !== 'cron' || schedule.isDate))
    refuse(
      'catchUp',
      'only a @Cron with an expression can miss ticks; an interval and a timeout start with their application',
    );
  if (splay !== undefined && (schedule.kind !== 'cron' || schedule.isDate || shared === true))
    refuse(
      'splay',
      shared === true
        ? 'with shared: true the ticks of the other method start at their own times'
        : 'only the ticks of a @Cron with an expression come at the same time for the whole fleet',
    );
  if (splay !== undefined && schedule.kind === 'cron' && schedule.waitsForCompletion)
    refuse('splay', 'with waitForCompletion the scheduler does not see a run that starts after its alarm');
  if (maxAttempts !== undefined && onCrash !== 'retry')
    refuse('maxAttempts', 'without onCrash: "retry" a tick is never run again');
  for (const [option, value] of Object.entries({ heartbeat, history, maxHold, grace }))
    if (value !== undefined && schedule.kind === 'timeout' && minInterval === undefined)
      refuse(
        option,
        'without minInterval every instance runs its own @Timeout, and none of these runs is a tick',
      );
  const retries =
    onCrash === 'retry' ? 'onCrash: "retry"' : overlap === 'queue' ? 'overlap: "queue"' : undefined;
  const late = retries ?? (['catchUp', 'splay'] as const).find((option) => options[option] !== undefined);
  if (late !== undefined && isLeaderOnly(method))
    refuse(
      late,
      'such a tick may be granted to an instance that does not lead, where @LeaderOnly skips it. Remove @LeaderOnly: of all instances, one runs each tick',
    );
  if (retries === undefined) return;
  if (schedule.kind === 'timeout' && minInterval === undefined)
    refuse(
      retries,
      'without minInterval every instance runs its own @Timeout, and no instance runs the @Timeout of another',
    );
  if (shared === true) refuse(retries, 'with shared: true the other method could run the tick');
}

/** Whether a call runs only where this instance leads. */
export function isLeaderOnly({ instance, guard }: ScheduledMethod): boolean {
  // A Proxy is not touched.
  const prototype = types.isProxy(instance) ? undefined : Reflect.getPrototypeOf(instance);
  return readLeaderMethods(prototype ?? {}).some(({ methodKey }) => methodKey === guard.methodKey);
}

/** Claims, runs and direct calls of one job meet at one lock, and claims write the re-entrant one. */
function checkKind({ where, job, options: { kind } }: ScheduledMethod): void {
  if (kind === undefined || kind === 'reentrant') return;
  throw invalidOption(
    `${where} has a schedule, so its kind cannot be "${kind}": its ticks run under the re-entrant lock of its key.`,
    job,
  );
}
