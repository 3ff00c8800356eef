import type { HolderForm, Leased, Renewer } from '../renewal/lease.contract.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import { promised } from '../replies/reply.callback.js';
import type { LockKind } from './lock.kind.js';

/** One lock, as the machinery needs to know it. */
export class LockTarget implements Leased {
  /** What a hold is found by: the key, and the side of a lock that has two. */
  readonly id: string;

  constructor(
    readonly kind: LockKind,
    /** As the user says it. */
    readonly name: string,
    /** In Redis: with prefix, or mapped. */
    readonly key: string,
  ) {
    this.id = idOf(key, kind.side);
  }

  /** Where its releases are told. Made when it is asked for: a lock that is held has no use for it. */
  get channel(): string {
    return this.kind.channelOf(this.key);
  }

  get holders(): HolderForm {
    return this.kind.holders;
  }

  /** How the lease of a hold is kept. */
  get renewer(): Renewer {
    return this.kind.scripts;
  }

  /**
   * Lowers a holder's count to `count`, and restores `lease` ms; 0 ends all that the holder id may have.
   * @param nextLease see {@link LockScripts.release}
   * @throws RedisFailure as a script does
   */
  release(holder: string, count: number, lease: number, nextLease?: number): Promise<ReleaseReply> {
    const { key, channel, kind } = this;
    return promised((hearer) => kind.scripts.release(key, holder, count, lease, channel, hearer, nextLease));
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
