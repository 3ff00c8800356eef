import type { CurrentLock } from '../contracts/lock.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { currentFrame } from '../holds/hold.scope.js';

/**
 * Returns the handle of the innermost scope around the caller, even if its lock is no longer held: see
 * {@link CurrentLock}.
 * @returns `undefined` outside of a scope
 */
export function currentLock(): CurrentLock | undefined {
  return currentFrame()?.handle;
}

/**
 * Checks that the calling scope holds the lock with this name. It may be a lock of any module instance.
 * @throws LockConfigurationError `NOT_LOCKED` if the scope has not acquired the lock
 * @throws LockLostError if the scope has acquired the lock and lost it
 */
export function assertLocked(name: string): void {
  for (let frame = currentFrame(); frame !== undefined; frame = frame.around) {
    if (frame.name === name || frame.handle.name === name) {
      frame.handle.assertHeld();
      return;
    }
  }
  throw new LockConfigurationError(
    'NOT_LOCKED',
    `This code must run inside lock "${name}", which is not held here.`,
    name,
  );
}
