import type { CurrentLock } from '../contracts/lock.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { currentFrame } from '../holds/hold.scope.js';

/** The handle of the innermost lock around the caller: of a decorated method, an intercepted handler, a `using` or a tick. */
export function currentLock(): CurrentLock | undefined {
  return currentFrame()?.handle;
}

/**
 * Proves that the caller runs inside a live hold of the lock `name`, of any module instance.
 * @throws LockConfigurationError `NOT_LOCKED` outside; `LockLostError` when the lease was lost meanwhile
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
