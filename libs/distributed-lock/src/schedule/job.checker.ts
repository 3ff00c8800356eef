import { LockConfigurationError } from '../errors/lock.errors.js';
import type { ScheduledMethod } from './scheduled.method.js';

/**
 * Refuses jobs that would not do what they say.
 * @throws LockConfigurationError `DUPLICATE_JOB` for two methods with one key, `INVALID_OPTION` for a policy that its
 * schedule cannot have, or a kind of lock that ticks do not have
 */
export function checkJobs(methods: readonly ScheduledMethod[]): void {
  const first = new Map<string, ScheduledMethod>();
  for (const method of methods) {
    checkPolicies(method);
    checkKind(method);
    const other = first.get(method.job);
    if (other === undefined) first.set(method.job, method);
    else if (!isSame(other, method)) checkShared(other, method);
  }
}

/** Two instances of one class are one job. */
function isSame(one: ScheduledMethod, other: ScheduledMethod): boolean {
  return one.instance.constructor === other.instance.constructor && one.methodKey === other.methodKey;
}

function checkShared(one: ScheduledMethod, other: ScheduledMethod): void {
  if (one.options.shared === true && other.options.shared === true) return;
  throw new LockConfigurationError(
    'DUPLICATE_JOB',
    `${nameOf(one)} and ${nameOf(other)} are scheduled with one key, "${one.job}": only one of them would run at each tick.`,
    one.job,
  );
}

function nameOf({ instance, methodKey }: ScheduledMethod): string {
  return `${instance.constructor.name}.${String(methodKey)}`;
}

/** What is not done must not be believed to work. */
function checkPolicies({ where, job, options, schedule }: ScheduledMethod): void {
  const { onCrash, overlap, catchUp, shared, minInterval } = options;
  const refuse = (option: string, why: string) => {
    throw new LockConfigurationError('INVALID_OPTION', `${where} cannot have ${option}: ${why}.`, job);
  };
  if (catchUp !== undefined && schedule.kind !== 'cron')
    refuse(
      'catchUp',
      'only a @Cron has instants that can be missed; an interval and a timeout begin with their application',
    );
  const retries =
    onCrash === 'retry' ? 'onCrash: "retry"' : overlap === 'queue' ? 'overlap: "queue"' : undefined;
  if (retries === undefined) return;
  if (schedule.kind === 'timeout' && minInterval === undefined)
    refuse(
      retries,
      "without minInterval every instance runs its @Timeout itself, and none of them runs another one's",
    );
  if (shared === true)
    refuse(retries, 'with shared: true another method than the one that was meant could run it');
}

/** Claims, runs and direct calls of one job meet at one lock, and claims write the re-entrant one. */
function checkKind({ where, job, options: { kind } }: ScheduledMethod): void {
  if (kind === undefined || kind === 'reentrant') return;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `${where} has a schedule, so its kind cannot be "${kind}": its ticks run under the re-entrant lock of its key.`,
    job,
  );
}
