import type { AcquireReply, LockScripts } from '../../libs/distributed-lock/src/scripts/lock.replies.js';
import { promised } from '../../libs/distributed-lock/src/scripts/reply.hearer.js';

/** Asks for a hold count as an attempt does. @param wait in ms; 0 asks once */
export function acquired(
  scripts: Pick<LockScripts, 'acquire'>,
  lock: string,
  holder: string,
  lease: number,
  count: number,
  wait = 0,
): Promise<AcquireReply> {
  return promised((hearer) => scripts.acquire(lock, holder, lease, count, hearer, wait));
}

/** Renews a hold to `lease` ms, as the watchdog does. @returns what is left in ms, or undefined when the hold is gone */
export function renewed(
  scripts: Pick<LockScripts, 'renew'>,
  lock: string,
  holder: string,
  lease: number,
): Promise<number | undefined> {
  return promised((hearer) => scripts.renew(lock, holder, lease, hearer));
}
