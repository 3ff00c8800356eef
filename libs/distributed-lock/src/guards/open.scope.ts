import { isObservable, type Observable } from 'rxjs';
import { lastingKindOf } from '../work/lasting.work.js';
import type { LockHandle } from '../contracts/lock.contract.js';
import { streamThrough, type ScopeRunner } from './scope.stream.js';
import { machine } from '../timing/machine.js';

/**
 * Runs a method that promises its result under a lock. If the result turns out to be an Observable, the lock is held until that has ended:
 * for the first subscription, which has to come in the same turn of the event loop (Nest's does). A later subscription acquires the lock
 * anew, so that an Observable without a subscriber does not hold it for ever.
 * @param unclaimed called when no subscription has come in time: a source that runs by itself then runs without the lock
 */
export function promiseThrough(
  section: ScopeRunner,
  call: () => unknown,
  unclaimed: () => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = section(async (handle) => {
      const result: unknown = await call();
      if (lastingKindOf(result) !== 'observable' || !isObservable(result)) return result;
      const open = new OpenScope(handle, unclaimed);
      resolve(streamInScope(result, open, section, () => ended));
      return await open.over;
    });
    ended.then(resolve, reject);
  });
}

function streamInScope(
  source: Observable<unknown>,
  open: OpenScope,
  section: ScopeRunner,
  ended: () => Promise<unknown>,
): Observable<unknown> {
  return streamThrough((work, left) => (open.take(work) ? ended() : section(work, left)), {
    source: () => source,
  });
}

/** A section that stays open for one more piece of work. */
class OpenScope {
  readonly over: Promise<unknown>;
  #take: ((work: (handle: LockHandle) => Promise<unknown>) => void) | undefined;

  constructor(handle: LockHandle, unclaimed: () => void) {
    this.over = new Promise((resolve, reject) => {
      this.#take = (work) => void handle.run(() => work(handle)).then(resolve, reject);
      machine.global.setImmediate(() => {
        if (this.#take === undefined) return;
        this.#take = undefined;
        resolve(undefined);
        unclaimed();
      });
    });
  }

  /** @returns false when the section is already taken, or over */
  take(work: (handle: LockHandle) => Promise<unknown>): boolean {
    const take = this.#take;
    this.#take = undefined;
    take?.(work);
    return take !== undefined;
  }
}
