import type { Duration } from '../contracts/duration.js';
import type { WaitOptions } from '../contracts/semaphore.contract.js';
import { parseDuration } from '../timing/duration.parser.js';
import { checkSignal } from './option.checks.js';

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
