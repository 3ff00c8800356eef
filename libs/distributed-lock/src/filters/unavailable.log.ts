import type { LockErrorCode } from '../errors/error.table.js';
import type { LockUnavailableError } from '../errors/lock.errors.js';
import { RateLimitedLog } from '../guards/rate.limited.log.js';

/** At most one line of a code in this time, in ms: a failure that every request meets is one piece of news. */
const INTERVAL = 10_000;

/** Logs that locks cannot be acquired, and why; clients do not get the reason. */
export class UnavailableLog {
  readonly #logs = new Map<LockErrorCode, RateLimitedLog>();

  log({ code, message }: LockUnavailableError): void {
    const log = this.#logs.get(code) ?? new RateLimitedLog('error', INTERVAL);
    this.#logs.set(code, log);
    log.log(() => message.replace(/\.$/, ''));
  }
}
