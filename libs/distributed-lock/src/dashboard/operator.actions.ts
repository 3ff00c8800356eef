import {
  LockConfigurationError,
  LockUnavailableError,
  type DistributedLockError,
} from '../errors/lock.errors.js';
import { forceUnlock, hasChangedHands } from '../service/forced.release.js';
import type { LockService } from '../service/lock.service.js';
import { machine } from '../timing/machine.js';
import type { DashboardAction, DashboardAnswer } from '../dashboard-feeds/dashboard.model.js';

/** How long a request waits for the start of a run, in ms. */
const START = 5000;

/** An answer, and its HTTP status. */
export interface ActionResult {
  readonly status: number;
  readonly answer: DashboardAnswer;
}

/** Reads the body of a request; undefined for one that is no action. */
export function readAction(body: unknown): DashboardAction | undefined {
  const given: Partial<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const { action, job, key, holders, force = false } = given;
  if (action === 'unlock') {
    if (typeof key !== 'string') return undefined;
    if (holders === undefined) return { action, key };
    return isTexts(holders) ? { action, key, holders } : undefined;
  }
  if (typeof job !== 'string') return undefined;
  if (action === 'forget') return typeof force === 'boolean' ? { action, job, force } : undefined;
  return action === 'pause' || action === 'resume' || action === 'run-now' ? { action, job } : undefined;
}

/** Does what an operator has requested, and notes it. Rejects for no error of ours. */
export async function perform(
  locks: LockService,
  action: DashboardAction,
  by: string | undefined,
): Promise<ActionResult> {
  const name = by ?? `(dashboard of ${machine.name})`;
  const result = await attempt(locks, action, name);
  locks.engine.context.notices.post({
    kind: 'operator-action',
    action: action.action,
    name: action.action === 'unlock' ? action.key : action.job,
    by,
    isDone: result.answer.isDone,
    at: machine.global.Date.now(),
  });
  return result;
}

async function attempt(locks: LockService, action: DashboardAction, by: string): Promise<ActionResult> {
  try {
    return { status: 200, answer: await act(locks, action, by) };
  } catch (error) {
    if (error instanceof LockConfigurationError)
      return refused(error.code === 'UNKNOWN_JOB' ? 404 : 400, error);
    if (error instanceof LockUnavailableError) return refused(503, error);
    throw error;
  }
}

/** @param by the operator, for the record of the job */
async function act(locks: LockService, action: DashboardAction, by: string): Promise<DashboardAnswer> {
  const { jobs } = locks.ticks;
  switch (action.action) {
    case 'pause':
      return (await jobs.steer(action.job, 'pause', by))
        ? done(`Job "${action.job}" is paused on all instances. A current run continues.`)
        : unchanged(`Job "${action.job}" was already paused.`);
    case 'resume':
      return (await jobs.steer(action.job, 'resume', by))
        ? done(`Job "${action.job}" is resumed. Ticks that were missed during the pause are not made up.`)
        : unchanged(`Job "${action.job}" was not paused.`);
    case 'run-now':
      return (await jobs.runNowBy(action.job, by, { timeout: START }))
        ? done(`A run of job "${action.job}" has started.`)
        : unchanged(
            `No instance has started job "${action.job}" within ${START / 1000} s: none has the job, or its lock is held.`,
          );
    case 'forget':
      return (await jobs.forget(action.job, { force: action.force ?? false }))
        ? done(`The record of job "${action.job}" was deleted.`)
        : unchanged(`Job "${action.job}" is running, and was not changed.`);
    case 'unlock':
      return await unlock(locks, action);
  }
}

async function unlock(
  locks: LockService,
  { key, holders }: Extract<DashboardAction, { readonly action: 'unlock' }>,
): Promise<DashboardAnswer> {
  const found = await locks.fleetReader.at(key);
  if (found === undefined) return unchanged(`The lock at the key "${key}" is not locked.`);
  const { name, kind, left } = found;
  if (left !== undefined) return unchanged(`"${name}" is not a lock but a ${kind}, and was not changed.`);
  if (holders !== undefined && hasChangedHands(found, holders))
    return unchanged(`Lock "${name}" has another holder by now, and was not released. Look at it again.`);
  return (await forceUnlock(locks, found))
    ? done(`Lock "${name}" was released. Its holder notices the loss at its next renewal or check.`)
    : unchanged(`Lock "${name}" is not locked.`);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function done(message: string): DashboardAnswer {
  return { isDone: true, message };
}

function unchanged(message: string): DashboardAnswer {
  return { isDone: false, message };
}

function refused(status: number, { message }: DistributedLockError): ActionResult {
  return { status, answer: { isDone: false, message } };
}
