import { LockService } from './lock.service.js';

/** Whether a unit test has put something in the place of the service, of which nothing can be made. */
export function isMock(locks: unknown): boolean {
  if (!(locks instanceof LockService)) return true;
  try {
    // A stub that keeps the prototype has the methods, and not the state.
    return locks.engine === undefined;
  } catch {
    return true;
  }
}
