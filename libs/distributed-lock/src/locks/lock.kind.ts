import type { AcquireReply, LockState, ReleaseReply, TransferReply } from '../scripts/reentrant.scripts.js';

/** What a kind of lock can do in Redis; the rest (waiting, holds, leases, hand-over) is the same for every kind. */
export interface LockKind {
  /** Raises the holder's count to `count`, or answers who is in the way. Safe to repeat. */
  acquire(lock: string, holder: string, lease: number, count: number): Promise<AcquireReply>;
  /** Lowers the holder's count to `count`, restoring `lease`; 0 frees the lock and tells the channel. Safe to repeat. */
  release(lock: string, holder: string, count: number, lease: number, channel: string): Promise<ReleaseReply>;
  /** Hands the lock from one holder to another in one step. Safe to repeat. */
  transfer(lock: string, from: string, to: string, lease: number): Promise<TransferReply>;
  /** Frees the lock whoever holds it. Not safe to repeat. */
  forceRelease(lock: string, channel: string): Promise<boolean>;
  inspect(lock: string, holder: string): Promise<LockState>;
}
