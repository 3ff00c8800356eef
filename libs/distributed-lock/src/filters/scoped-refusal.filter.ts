import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import type { LockRefusalFilter } from './lock-refusal.filter.js';

/**
 * The refusal filter of a class or a method that binds a filter which catches everything. Classes belong to the process, so it
 * stands for the filters of all running applications.
 */
@Catch(LockNotAcquiredError, LockUnavailableError)
export class ScopedRefusalFilter implements ExceptionFilter<LockNotAcquiredError | LockUnavailableError> {
  readonly #filters = new Set<LockRefusalFilter>();

  /** Whether no application is left. */
  get isUnused(): boolean {
    return this.#filters.size === 0;
  }

  join(filter: LockRefusalFilter): void {
    this.#filters.add(filter);
  }

  leave(filter: LockRefusalFilter): void {
    this.#filters.delete(filter);
  }

  catch(error: LockNotAcquiredError | LockUnavailableError, host: ArgumentsHost): unknown {
    const filters = [...this.#filters];
    const filter = filters.find((each) => each.isOf(host)) ?? filters[0];
    if (filter === undefined) throw error;
    return Reflect.apply(filter.catch, filter, [error, host]);
  }
}
