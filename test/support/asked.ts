import type {
  AcquireReply,
  LockScripts,
  ReleaseReply,
} from '../../libs/distributed-lock/src/replies/lock.replies.js';
import { promised } from '../../libs/distributed-lock/src/replies/reply.callback.js';

/** Asks for a hold count as an attempt does. @param wait in ms; 0 asks once */
export function acquired(
  scripts: Pick<LockScripts, 'acquire'>,
  key: string,
  holder: string,
  lease: number,
  count: number,
  wait = 0,
): Promise<AcquireReply> {
  return promised((callback) => scripts.acquire({ key, holder, lease, count, wait }, callback));
}

/** Lowers a hold to `count`, with a lease of `lease` ms if any is left; 0 ends it. */
export function released(
  scripts: Pick<LockScripts, 'release'>,
  key: string,
  holder: string,
  count: number,
  lease: number,
  channel: string,
): Promise<ReleaseReply> {
  return promised((callback) => scripts.release({ key, holder, count, lease, channel }, callback));
}

/** Renews a hold to `lease` ms, as the watchdog does. @returns what is left in ms, or undefined when the hold is gone */
export function renewed(
  scripts: Pick<LockScripts, 'renew'>,
  key: string,
  holder: string,
  lease: number,
): Promise<number | undefined> {
  return promised((callback) => scripts.renew(key, holder, lease, callback));
}
