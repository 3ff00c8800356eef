import type { LockNotAcquiredError } from '../errors/lock.errors.js';

/** Refusals that are already reported: to the sender of a message, or in the log. */
const KNOWN = new WeakSet<LockNotAcquiredError>();

/** Notes that a refusal needs no line in the log any more. */
export function markKnown(refusal: LockNotAcquiredError): void {
  KNOWN.add(refusal);
}

/** Whether a refusal would be lost without a line in the log. */
export function isUnknown(refusal: LockNotAcquiredError): boolean {
  return !KNOWN.has(refusal);
}
