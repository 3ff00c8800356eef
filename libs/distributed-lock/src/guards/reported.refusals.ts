import type { LockNotAcquiredError } from '../errors/lock.errors.js';

/** Refusals that are already reported: to the sender of a message, or in the log. */
const REPORTED = new WeakSet<LockNotAcquiredError>();

/** Notes that a refusal needs no line in the log any more. */
export function markReported(refusal: LockNotAcquiredError): void {
  REPORTED.add(refusal);
}

/** Whether a refusal needs no line in the log. */
export function isReported(refusal: LockNotAcquiredError): boolean {
  return REPORTED.has(refusal);
}
