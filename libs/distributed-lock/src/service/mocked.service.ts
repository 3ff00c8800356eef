import { LockService } from './lock.service.js';

/** Whether a unit test has replaced the service by a mock, or by a stub without state. */
export function isMock(locks: unknown): boolean {
  if (!(locks instanceof LockService)) return true;
  try {
    // A stub that keeps the prototype has the methods, and not the state.
    return locks.engine === undefined;
  } catch {
    return true;
  }
}
