import type { HolderIdFormat, Leased, Renewer } from '../renewal/lease.contract.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import type { PassScripts } from '../replies/queue.replies.js';
import { promised, type LateAnswer } from '../replies/reply.callback.js';
import type { LockKind } from './lock.kind.js';

/** What few releases need. */
interface ReleaseDetails {
  /** See {@link ReleaseCommand}. */
  readonly pairedLease?: number | undefined;
  /** Receives what may come after the deadline. */
  readonly expect?: ((late: LateAnswer<ReleaseReply>) => void) | undefined;
}

/** What processes may wait for in a queue: a lock, or a semaphore. */
export interface QueueTarget {
  readonly id: string;
  readonly key: string;
  readonly channel: string;
  readonly kind: Pick<LockKind, 'form' | 'longestSleep' | 'side' | 'wakes'> & {
    readonly queue?: PassScripts | undefined;
  };
}

/** One lock: its name, key, channel and kind. */
export class LockTarget implements Leased {
  /** The key of its holds: the Redis key, and the side of a lock that has two. */
  readonly id: string;

  constructor(
    readonly kind: LockKind,
    /** The name as the application passed it. */
    readonly name: string,
    /** In Redis: with prefix, or mapped. */
    readonly key: string,
  ) {
    this.id = idOf(key, kind.side);
  }

  /** The channel of its releases. Built on first use: a lock that is held does not need it. */
  get channel(): string {
    return this.kind.channelOf(this.key);
  }

  /** What its releases notify processes of: itself, or the other side of a read/write lock. */
  get queueTarget(): QueueTarget {
    const { key, channel, kind } = this;
    const { passesTo } = kind;
    return passesTo === undefined ? this : { id: idOf(key, passesTo.side), key, channel, kind: passesTo };
  }

  get holderIds(): HolderIdFormat {
    return this.kind.holderIds;
  }

  /** The renewer of its leases. */
  get renewer(): Renewer {
    return this.kind.scripts;
  }

  /**
   * Lowers a holder's count to `count`, and restores `lease` ms; 0 ends all holds of the holder id.
   * @throws RedisFailure as a script does
   */
  release(
    holder: string,
    count: number,
    lease: number,
    { pairedLease, expect }: ReleaseDetails = {},
  ): Promise<ReleaseReply> {
    const { key, channel, kind } = this;
    const command = { key, holder, count, lease, channel, pairedLease };
    return promised((callback) => kind.scripts.release(command, callback), expect);
  }
}

/** The id of the other side of a read/write lock; undefined for locks with one side. */
export function otherSideOf({ key, kind }: LockTarget): string | undefined {
  return kind.side === undefined ? undefined : idOf(key, kind.side === 'read' ? 'write' : 'read');
}

/** Names have no NUL. */
function idOf(key: string, side: LockKind['side']): string {
  return side === undefined ? key : `${key}\0${side}`;
}
