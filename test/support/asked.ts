import type { LockScripts } from '../../libs/distributed-lock/src/scripts/lock.replies.js';
import { promised } from '../../libs/distributed-lock/src/scripts/reply.hearer.js';

/** Renews a hold to `lease` ms, as the watchdog does. @returns what is left in ms, or undefined when the hold is gone */
export function renewed(
  scripts: Pick<LockScripts, 'renew'>,
  lock: string,
  holder: string,
  lease: number,
): Promise<number | undefined> {
  return promised((hearer) => scripts.renew(lock, holder, lease, hearer));
}
