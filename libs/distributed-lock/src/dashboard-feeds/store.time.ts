import type { LockService } from '../service/lock.service.js';

/** An unchanged state is sent again after this time, in ms: the page shows of when it is. */
const REPEATED = 5000;

/** The clock of Redis, which is read with the jobs, in epoch ms. */
export function storeTime({ ticks }: Pick<LockService, 'ticks'>): number {
  return Math.round(ticks.clock.nowOrWall);
}

/** Whether a state is to be sent although nothing has changed since an earlier one. */
export function isToRepeat(before: number, at: number): boolean {
  return Math.floor(before / REPEATED) !== Math.floor(at / REPEATED);
}
