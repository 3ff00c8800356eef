import type { LockService } from '../service/lock.service.js';

/** Makes the service of a module's options. A provider, so that a test can put locks in memory in its place. */
export interface LockOpener<O> {
  open(options: O): LockService | Promise<LockService>;
}

/** The injection token of the {@link LockOpener}. */
export const LOCK_OPENER = Symbol.for('nestjs-distributed-lock.opener');
