import type { CronMethod } from '../scheduled-methods/cron.method.js';
import type { LockService } from '../service/lock.service.js';

/** One module instance on a memory store, as the controls of a test reach it. */
export interface MemoryInstance {
  readonly locks: LockService;
  /** Its guarded `@Cron` methods. */
  readonly crons: readonly CronMethod[];
}
