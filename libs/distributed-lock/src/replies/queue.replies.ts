import type { AcquireReply, Busy } from './lock.replies.js';
import type { ReplyCallback } from './reply.callback.js';

/** The place of a process that was not granted the lock. */
export interface Placed extends Busy {
  /** A lower one comes first. */
  readonly ticket: number;
  /** Whether the process is a listener: one of the two that listen to the lock's channel for all. */
  readonly isListener: boolean;
  /** Whether one of the two is missing. */
  readonly isListenerMissing: boolean;
  /** How many processes have a place; 2 stands for more as well. */
  readonly places: number;
  /** The place whose turn it is, if the lock is free or held for it, and its process has not come yet. */
  readonly first: string | undefined;
}

/** The answer to a process that waits in the queue of a lock. */
export type WaitReply = Extract<AcquireReply, { readonly kind: 'granted' }> | Placed;

/** What the place of a process adds to its request. */
export interface WaitTerms {
  /** The ticket that the place had before; 0 for a new one. */
  readonly ticket: number;
  /** Whether the process listens to the lock's channel. */
  readonly listens: boolean;
  /** How long the queue lasts after this call, in ms, if its processes all die. */
  readonly life: number;
  /** A lease that ends before is announced to the listeners, in ms. */
  readonly soon: number;
}

/** Takes a lock if it is the turn of the process, else a place in the queue. */
export interface WaitCommand extends WaitTerms {
  /** The key. */
  readonly key: string;
  readonly channel: string;
  /** The holder id of the attempt; {@link PassScripts.placeOf} is its place. */
  readonly holder: string;
  /** In ms. */
  readonly lease: number;
}

/** What a {@link PassScripts.pass} does before it notifies the process whose turn it is. */
export interface PassTerms {
  /** Drops the place that was notified, and has not come. */
  readonly absent?: string | undefined;
  /** Gives up a place, or a listener. */
  readonly leaving?: string | undefined;
  /** Lets others that listen to the lock's channel go first. */
  readonly yields?: boolean | undefined;
  /** Where others listen: the lease that the place gets at once, in ms, for they are as fast as its own request would be. @default it takes the lock itself */
  readonly lease?: number | undefined;
}

/** Notifies the process whose turn it is. */
export interface PassCommand extends PassTerms {
  /** The key. */
  readonly key: string;
  readonly channel: string;
}

/** The answer to {@link PassScripts.pass}. */
export type PassReply =
  | (Busy & Pick<Placed, 'places' | 'first'>)
  /** This place was notified. */
  | { readonly kind: 'called'; readonly place: string }
  | { readonly kind: 'none' | 'theirs' };

/** Whether a release leaves something to be watched: the place that it has notified, or, where that is empty, the turn of others that it has reached. */
export function isToWatch(called: string, others: number): boolean {
  return called !== '' || others > 0;
}

/** Notifies the processes that wait in a queue in Redis. */
export interface PassScripts {
  /** Whether giving up a place that is not there any more frees nothing, so that it needs no look at the holds of this process. */
  readonly leavingFreesNothing: boolean;
  /** The place of the attempt with this holder id. */
  placeOf(holder: string): string;
  /** Notifies the process whose turn it is, if the lock is free, or a permit is available. */
  pass(command: PassCommand, callback: ReplyCallback<PassReply>): void;
}

/** The scripts of a kind of lock whose processes wait in a queue. */
export interface QueueScripts extends PassScripts {
  wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void;
}
