import type { Duration } from './duration.js';

/** What a refusal hands to `onBusy`. */
export interface BusyContext<A extends readonly unknown[] = readonly unknown[]> {
  /** The lock's name; of several locks all names, as in `account:1, account:2`. */
  readonly name: string;
  /** The arguments of the refused call. */
  readonly args: A;
  /** How long it waited, in ms. */
  readonly waited: number;
  /** The holder, where that is known. */
  readonly holder: string | undefined;
}

/** The name of a lock, or the names of several that are held as one: a multi lock. */
export type LockNames = string | readonly string[];

/** The kinds of lock that a guard can take. */
export type GuardKind = 'reentrant' | 'fair' | 'read' | 'write' | 'fenced';

/** Options of the decorator and the interceptor. */
export interface GuardOptions<A extends readonly unknown[] = readonly unknown[], R = unknown> {
  /**
   * The kind of lock; of every one, where the key gives several. One name has one kind in an application, and `read` and
   * `write` are the two sides of one: a call with another kind rejects with `KIND_CONFLICT`.
   * `reentrant`: one call at a time. `fair`: in the order in which the fleet asked. `read`: together with other `read`
   * calls. `write`: alone; it may call what is guarded by `read`, and the reverse is refused with `UPGRADE`.
   * `fenced`: `currentLock()?.token` is a number that no earlier holder has had; several locks as one have none.
   * A scheduled method takes `reentrant` only.
   * @default 'reentrant'
   */
  readonly kind?: GuardKind | undefined;
  /** How long a call waits for the lock. @default 0, or the module's `waitTime.decorator` / `waitTime.interceptor` */
  readonly waitTime?: Duration | undefined;
  /** A fixed lease, never renewed. @default none: the watchdog renews it */
  readonly leaseTime?: Duration | undefined;
  /**
   * What a refused call gives. `throw`: a `LockNotAcquiredError` (423 over HTTP). `skip`: undefined, without running.
   * A function: its result. It sees only this decorator's own refusal, never one of a lock that the method takes inside.
   * @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip' | ((context: BusyContext<A>) => R | PromiseLike<R>) | undefined;
  /** See `UsingOptions.onLost`. @default 'signal' */
  readonly onLost?: 'signal' | 'throw' | undefined;
  /** Which module instance's locks, by the `name` it was registered with. @default the unnamed one */
  readonly service?: string | undefined;
}

/** What only scheduled methods use; refused at boot on a method without a schedule. */
export interface TickOptions {
  /**
   * What happens to a tick while an earlier run, or anybody else, has the lock. `skip`: it is counted and not run. `queue`:
   * one instance runs it as soon as the lock is free; of several only the newest, the others are counted.
   * @default 'skip'
   */
  readonly overlap?: 'skip' | 'queue' | undefined;
  /**
   * What happens to a tick whose run died, or was stopped by a shutdown. `skip`: it is not run again. `retry`: another
   * instance runs it again, before any newer tick; `currentLock()?.attempt` counts. The work has to bear being run twice.
   * @default 'skip'
   */
  readonly onCrash?: 'skip' | 'retry' | undefined;
  /**
   * For `@Cron`: when the whole fleet was down, or Redis was, the latest tick that was missed meanwhile is run once on
   * return, if it is not older than this; those before it are missed.
   * @default none: every missed tick is recorded, and not run
   */
  readonly catchUp?: Duration | undefined;
  /** A tick older than this that nobody ran is closed as missed. @default 5 s */
  readonly grace?: Duration | undefined;
  /** The longest a run may last before its signal aborts. @default '1h' */
  readonly maxHold?: Duration | undefined;
  /** Lets several scheduled methods share one key, and so one tick. @default false */
  readonly shared?: boolean | undefined;
  /**
   * For `@Timeout`, and for `@Cron` with a `Date`, which needs it: run at most once in the fleet within this time.
   * @default none: every instance runs its `@Timeout`, one at a time
   */
  readonly minInterval?: Duration | undefined;
}
