import { LockConfigurationError } from '../errors/lock.errors.js';
import type { Duration } from '../contracts/duration.js';
import type { LockOptions, UsingOptions } from '../contracts/lock.contract.js';
import type { PermitsOptions, WaitOptions } from '../contracts/semaphore.contract.js';
import { checkOptionNames, invalidOption, optionNames, parseDuration } from '../options/option.checks.js';

/** What each call on a lock, a semaphore or a latch takes. */
const CALLS = {
  lock: optionNames<LockOptions>({ waitTime: true, leaseTime: true, signal: true }),
  using: optionNames<UsingOptions>({ waitTime: true, leaseTime: true, signal: true, onLost: true }),
  wait: optionNames<WaitOptions>({ waitTime: true, signal: true }),
  permits: optionNames<PermitsOptions>({ waitTime: true, signal: true, permits: true }),
} as const;

/**
 * Checks the options of a call by their names. A call without options does not come here.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkCallOptions(call: keyof typeof CALLS, lock: string, options: unknown): void {
  checkOptionNames(options, CALLS[call], undefined, lock);
}

/**
 * Refuses what only looks like a signal, such as the controller instead of its signal: the wait could not be ended.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
function checkSignal(lock: string, signal: unknown): void {
  if (signal === undefined || isSignal(signal)) return;
  throw invalidOption(`signal must be an AbortSignal for lock "${lock}".`, lock);
}

/**
 * Refuses a section that could not run, before the lock is acquired.
 * @throws LockConfigurationError `INVALID_OPTION` or `NOT_ASYNC`
 */
export function checkUsing(lock: string, work: unknown, onLost: unknown): void {
  checkWork('using()', lock, work);
  if (onLost === undefined || onLost === 'signal' || onLost === 'throw') return;
  throw invalidOption(`onLost must be "signal" or "throw" for lock "${lock}".`, lock);
}

/**
 * Refuses a value that cannot be work, before the work is started.
 * @param call for the message
 * @throws LockConfigurationError `INVALID_OPTION` for a value that is no function, `NOT_ASYNC` for a generator function
 */
export function checkWork(call: string, lock: string, work: unknown): void {
  if (typeof work !== 'function') throw invalidOption(`${call} needs a function for lock "${lock}".`, lock);
  if (Object.prototype.toString.call(work) === '[object GeneratorFunction]')
    throw new LockConfigurationError(
      'NOT_ASYNC',
      `${call} was given a generator function for lock "${lock}": its steps would run after the release.`,
      lock,
    );
}

/** Structural, so that the signal of another realm or of a polyfill is one, too. */
function isSignal(signal: unknown): boolean {
  return (
    typeof signal === 'object' &&
    signal !== null &&
    'aborted' in signal &&
    typeof signal.aborted === 'boolean' &&
    'throwIfAborted' in signal &&
    typeof signal.throwIfAborted === 'function'
  );
}

/** The highest number of permits that Java can count. */
const MOST_PERMITS = 2_147_483_647;

/** @throws LockConfigurationError `INVALID_OPTION` for a value that is no whole number from `least` to 2147483647, nor above its negative */
export function checkPermits(name: string, permits: unknown, least: number): void {
  checkNumber(name, 'permits', permits, [Math.max(least, -MOST_PERMITS), MOST_PERMITS]);
}

/** @throws LockConfigurationError `INVALID_OPTION` for a value that is no whole number from `least` to `most` */
export function checkNumber(
  name: string,
  option: string,
  value: unknown,
  [least, most]: readonly [least: number, most: number],
): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw invalidOption(
    `${option} must be a whole number from ${least} to ${most} for "${name}", not ${String(value)}.`,
    name,
  );
}

/** How long a caller waits: in ms, Infinity for no bound. */
export interface Wait {
  readonly waitTime: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws LockConfigurationError `INVALID_OPTION` */
export function readWait(name: string, { waitTime, signal }: WaitOptions, byDefault: number): Wait {
  checkSignal(name, signal);
  if (waitTime === undefined) return { waitTime: byDefault, signal };
  return { waitTime: parseDuration(waitTime, { option: 'waitTime', lock: name, unbounded: true }), signal };
}

/** A time to live in ms, 0 for none. @throws LockConfigurationError `INVALID_OPTION` */
export function readLife(name: string, timeToLive: Duration | undefined): number {
  return timeToLive === undefined
    ? 0
    : parseDuration(timeToLive, { option: 'timeToLive', lock: name, min: 1 });
}
