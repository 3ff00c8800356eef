import { LockConfigurationError } from '../errors/lock.errors.js';
import type { ScheduledMethod } from './scheduled.method.js';

/** Rows of the claim that are reserved, and what they are until then. */
const POLICIES: Readonly<Record<string, string | undefined>> = {
  overlap: 'skip',
  onCrash: 'skip',
  catchUp: undefined,
};

/**
 * Refuses jobs that would not do what they say.
 * @throws LockConfigurationError `DUPLICATE_JOB` for two methods with one key, `INVALID_OPTION` for a policy that does not
 * exist yet, or a kind of lock that ticks do not have
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

/** For callers without types: what is not there yet must not be believed to work. */
function checkPolicies({ where, job, options }: ScheduledMethod): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [option, only] of Object.entries(POLICIES)) {
    if (given[option] === undefined || given[option] === only) continue;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `${option} of ${where} cannot be ${String(given[option])}: ${only === undefined ? 'there is no such option yet' : `only "${only}" exists yet`}.`,
      job,
    );
  }
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
