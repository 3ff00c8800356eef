import type { ElectionCallbacks } from '../contracts/election.contract.js';
import type { GuardKind } from '../contracts/guard.contract.js';
import type { ForgetOptions, RunNowOptions } from '../contracts/job.contract.js';
import type { LockOptions, UsingOptions } from '../contracts/lock.contract.js';
import type { PermitsOptions, WaitOptions } from '../contracts/semaphore.contract.js';
import { checkCallbackNames, checkOptionNames, optionNames } from './option.names.js';

/** What each call takes. */
const CALLS = {
  lock: optionNames<LockOptions>({ waitTime: true, leaseTime: true, signal: true }),
  using: optionNames<UsingOptions>({ waitTime: true, leaseTime: true, signal: true, onLost: true }),
  /** `using` of the LockService, which makes the lock as well. */
  kindUsing: optionNames<UsingOptions & { readonly kind?: GuardKind }>({
    waitTime: true,
    leaseTime: true,
    signal: true,
    onLost: true,
    kind: true,
  }),
  wait: optionNames<WaitOptions>({ waitTime: true, signal: true }),
  permits: optionNames<PermitsOptions>({ waitTime: true, signal: true, permits: true }),
  runNow: optionNames<RunNowOptions>({ timeout: true }),
  forget: optionNames<ForgetOptions>({ force: true }),
} as const;

const ELECTION = optionNames<ElectionCallbacks>({ onElected: true, onRevoked: true });

/**
 * Checks the options of a call by their names. A call without options does not come here.
 * @param lock the lock's name, or the job's
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkCallOptions(call: keyof typeof CALLS, lock: string, options: unknown): void {
  checkOptionNames(options, CALLS[call], undefined, lock);
}

/** As {@link checkCallOptions} for the callbacks of an election. @throws LockConfigurationError `INVALID_OPTION` */
export function checkElectionCallbacks(key: string, callbacks: unknown): void {
  checkCallbackNames(callbacks, ELECTION, undefined, key);
}
