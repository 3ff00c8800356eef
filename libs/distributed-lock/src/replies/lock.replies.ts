import type { ReplyCallback } from './reply.callback.js';

/** A lock that cannot be had now. */
export interface Busy {
  readonly kind: 'busy';
  /** How long nothing can change by itself, in ms: what is left of the lease in the way; -1 for none. */
  readonly ttl: number;
  /** Somebody who is in the way. */
  readonly holder: string;
}

export type AcquireReply =
  | {
      readonly kind: 'granted';
      readonly count: number;
      /** The fencing token, for kinds that give one. */
      readonly token?: bigint;
      /** How many more holders there is room for beside this one. @default 0 */
      readonly room?: number;
    }
  | Busy
  | { readonly kind: 'lost' };

export type ReleaseReply =
  | {
      readonly kind: 'released';
      /** The clients that heard the message, or -1 when publishing was refused. */
      readonly reached: number;
      /** Who has the lock now: the waiter of this process that was next, and that nothing but this answer tells. */
      readonly next?: string;
    }
  | { readonly kind: 'kept' | 'gone' };

export type TransferReply = { readonly kind: 'transferred' | 'granted'; readonly token?: bigint } | Busy;

/** What a process learns that says that its waiters live. */
export interface Beat {
  /** In how many ms that may be worth doing again; -1 for no reason to. */
  readonly next: number;
  /** Who has the lock, if it is a holder of this process: it may have been given the lock, and not have heard of it. */
  readonly holder: string | undefined;
}

export interface LockState {
  readonly isLocked: boolean;
  /** What is left of the lease in ms; -1 for none, -2 when there is no key. */
  readonly ttl: number;
  /** The hold count of the holder that was asked for. */
  readonly count: number;
  /** Somebody who has it. */
  readonly holder: string | undefined;
}

/** What every kind can do in Redis. Each operation is one atomic script on the key `lock`, and safe to repeat. */
export interface LockScripts {
  /**
   * Raises the holder's count to `count`, or answers who is in the way.
   * @param lease in ms
   * @param wait how long the caller is ready to wait, in ms; 0 asks once and leaves no trace in the way of others
   * @param gift for kinds whose releases can make the next waiter the holder: the lease that this one has then, in ms. @default it comes for it
   */
  acquire(
    lock: string,
    holder: string,
    lease: number,
    count: number,
    callback: ReplyCallback<AcquireReply>,
    wait: number,
    gift?: number,
  ): void;
  /**
   * Lowers the holder's count to `count`, restoring `lease`; 0 ends the hold, and everything else that the holder id
   * may have left behind, and tells the channel.
   * @param nextLease for kinds whose releases can make the next waiter the holder: the lease that this one has, in ms, where it is of this process. @default it is told, as any other.
   * For the read side: the lease that the write hold of the same holder id needs yet, in ms. @default that the lock has is not made shorter
   */
  release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
    callback: ReplyCallback<ReleaseReply>,
    nextLease?: number,
  ): void;
  /** Hands the lock from one holder to another in one step, for kinds that can; a lease that becomes shorter is published. */
  transfer?(lock: string, from: string, to: string, lease: number, channel: string): Promise<TransferReply>;
  /**
   * For kinds whose waiters stand in a queue in Redis: says that those of the process `client` live, and takes dead ones out
   * of the way.
   */
  beat?(lock: string, client: string, channel: string): Promise<Beat>;
  /** Frees the lock whoever holds it. Not safe to repeat. @returns whether there was a lock to free */
  forceRelease(lock: string, channel: string): Promise<boolean>;
  inspect(lock: string, holder: string): Promise<LockState>;
  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only looks.
   * @param callback hears what is left in ms (-1: no ttl), or undefined when the hold is gone
   */
  renew(lock: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void;
}
