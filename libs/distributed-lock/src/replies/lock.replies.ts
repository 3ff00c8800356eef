import type { ReplyCallback } from './reply.callback.js';

/** The answer for a lock that is not free. */
export interface Busy {
  readonly kind: 'busy';
  /** How long nothing can change by itself, in ms: the rest of the lease of the current holder; -1 for a lease without end. */
  readonly ttl: number;
  /** One of the current holders. */
  readonly holder: string;
}

export type AcquireReply =
  | {
      readonly kind: 'granted';
      readonly count: number;
      /** The fencing token, for kinds that have one. */
      readonly token?: bigint;
      /** How many more holders the lock can have beside this one. @default 0 */
      readonly room?: number;
      /** Whether this process is one of the two listeners of the queue from now on. Undefined where it did not ask for a place. */
      readonly isListener?: boolean;
      /** The place that the grant has notified, because there is room for its process, too; undefined for none. */
      readonly called?: string | undefined;
    }
  | Busy
  /** It is free, and processes that wait come first. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'lost' };

export type ReleaseReply =
  | {
      readonly kind: 'released';
      /** The number of clients that received the message, or -1 when publishing was refused. */
      readonly reached: number;
      /** The holder from now on: the next waiter of this process, which is notified by this reply alone. */
      readonly next?: string;
      /**
       * Where processes wait in a queue: the place that was notified of its turn, empty for none. Then `reached` counts those that listen beside
       * the listeners of the queue.
       */
      readonly called?: string;
    }
  | { readonly kind: 'kept' | 'gone' };

export type TransferReply = { readonly kind: 'transferred' | 'granted'; readonly token?: bigint } | Busy;

/** The answer to a process that reports that its waiters are alive. */
export interface HeartbeatReply {
  /** In how many ms the next report may be useful; -1 for never. */
  readonly next: number;
  /** The holder of the lock, if it is one of this process: it may have got the lock by a hand-off whose message it did not receive. */
  readonly holder: string | undefined;
}

export interface LockState {
  readonly isLocked: boolean;
  /** The rest of the lease in ms; -1 for a lease without end, -2 when there is no key. */
  readonly ttl: number;
  /** The hold count of the requested holder. */
  readonly count: number;
  /** One of the holders. */
  readonly holder: string | undefined;
}

/** Raises the count of a holder to `count`, or answers with a current holder. */
export interface AcquireCommand {
  /** The key. */
  readonly key: string;
  readonly holder: string;
  /** In ms. */
  readonly lease: number;
  readonly count: number;
  /** How long the caller is ready to wait, in ms; 0 makes one attempt and leaves no state in Redis that blocks others. */
  readonly wait: number;
  /** For writers: how long the caller is ready to wait, in ms, also where `wait` is 0 because it cannot be notified of its turn. @default `wait` */
  readonly declared?: number;
  /** For kinds with hand-off: the lease of a hand-off to this waiter, in ms. @default the waiter acquires the lock itself */
  readonly handoffLease?: number | undefined;
}

/**
 * Lowers the count of a holder to `count`, restoring `lease`; 0 ends the hold, and everything else that the holder id may have left
 * behind, and publishes on the channel.
 */
export interface ReleaseCommand {
  /** The key. */
  readonly key: string;
  readonly holder: string;
  readonly count: number;
  /** In ms. */
  readonly lease: number;
  readonly channel: string;
  /** For kinds with hand-off: the lease of the next waiter, in ms, if it is of this process. @default it is notified, as any other */
  readonly handoffLease?: number | undefined;
  /** For the read side: the lease that the write hold of the same holder id still needs, in ms. @default the lease of the lock is not shortened */
  readonly pairedLease?: number | undefined;
}

/** Reports that a process is alive, and which of its waiters still are. */
export interface HeartbeatCommand {
  /** The key. */
  readonly key: string;
  readonly channel: string;
  /** The uuid of the process. */
  readonly client: string;
  /** The integer of its newest holder id. */
  readonly last: number;
  /** The integers of its holder ids that wait or hold: others, up to the newest, have left, and lose a place that they still have. */
  readonly live: readonly (string | number)[];
}

/** Passes a lock from one holder to another. */
export interface TransferCommand {
  /** The key. */
  readonly key: string;
  readonly from: string;
  readonly to: string;
  /** In ms. */
  readonly lease: number;
  readonly channel: string;
}

/** The scripts of every kind. Each operation is one atomic script on the key of the lock, and safe to repeat. */
export interface LockScripts {
  acquire(command: AcquireCommand, callback: ReplyCallback<AcquireReply>): void;
  release(command: ReleaseCommand, callback: ReplyCallback<ReleaseReply>): void;
  /** Passes the lock from one holder to another in one step, for kinds that can; a lease that becomes shorter is published. */
  transfer?(command: TransferCommand): Promise<TransferReply>;
  /** For kinds whose waiters stand in a queue in Redis: reports the waiters of a process, and removes dead ones from the queue. */
  heartbeat?(command: HeartbeatCommand): Promise<HeartbeatReply>;
  /** Frees the lock, whichever holder has it. Not safe to repeat. @returns whether there was a lock to free */
  forceRelease(key: string, channel: string): Promise<boolean>;
  inspect(key: string, holder: string): Promise<LockState>;
  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only checks the hold.
   * @param callback receives the remaining ttl in ms (-1: no ttl), or undefined when the hold is gone
   */
  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void;
}
