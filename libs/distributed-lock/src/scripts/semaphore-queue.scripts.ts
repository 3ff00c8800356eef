import type { Busy } from '../replies/lock.replies.js';
import type { PassCommand, PassReply, PassScripts, Placed, WaitTerms } from '../replies/queue.replies.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { SharedNumbers } from '../script-runner/shared.numbers.js';
import { CALL_LIFE, callRecord } from './call.scripts.js';
import { semaphorePass, semaphoreWait } from './generated/lua.scripts.js';
import { readPass, readPlaced } from './process-queue.scripts.js';
import { suffixName } from './wire.names.js';

/** Takes permits if it is the turn of the process, else a place in the queue. */
export interface PermitsWaitCommand extends Pick<WaitTerms, 'ticket' | 'listens' | 'life'> {
  /** The semaphore in Redis. */
  readonly key: string;
  readonly channel: string;
  /** The call, which is also its place: see {@link placeOfCall}. */
  readonly call: string;
}

/** The answer to a process that waits for permits. */
export type PermitsWaitReply =
  | {
      readonly kind: 'granted';
      /** The number of permits that are left. */
      readonly permits: number;
      readonly isListener: boolean;
      /** The place that the grant has notified, because permits are left, or one that was given permits and has not come. */
      readonly called: string | undefined;
    }
  | { readonly kind: 'placed'; readonly placed: Placed }
  | { readonly kind: 'undone' };

/** No lease stands in the way of permits: a message ends the wait, or the longest sleep does. */
export const NO_LEASE: Busy = { kind: 'busy', ttl: Infinity, holder: '' };

/** The characters of the longest number of permits. */
const LONGEST_NUMBER = 10;

/** The place of a call in the queue, which shows how many permits it waits for. @param call an id `<client uuid>:<integer>` */
export function placeOfCall(call: string, permits: number): string {
  const end = call.lastIndexOf(':') + 1;
  return `${call.slice(0, end)}${String(permits).padStart(LONGEST_NUMBER, '0')}${call.slice(end)}`;
}

/** The scripts of the queue of processes that wait for permits of a plain semaphore, typed. */
export class SemaphoreQueueScripts implements PassScripts {
  readonly leavingFreesNothing = true;
  readonly #waiting = new SharedNumbers({ ...GRANTING, ...PUBLISHING });

  constructor(private readonly runner: ScriptRunner) {}

  placeOf(call: string): string {
    return call;
  }

  wait(
    { key, channel, call, ticket, listens, life }: PermitsWaitCommand,
    callback: ReplyCallback<PermitsWaitReply>,
  ): void {
    this.runner.send(
      {
        script: semaphoreWait,
        keys: [key, callRecord(key, call), suffixName(key, 'waiting'), suffixName(key, 'given')],
        args: [call, `${ticket}`, listens ? '1' : '0', channel],
        read: readWait,
        sending: this.#waiting.of(CALL_LIFE, life),
      },
      callback,
    );
  }

  /** A permit has no lease: with one, the place gets its permits at once. */
  pass(
    { key, channel, absent = '', leaving = '', yields, lease = 0 }: PassCommand,
    callback: ReplyCallback<PassReply>,
  ): void {
    this.runner.send(
      {
        script: semaphorePass,
        keys: [key, suffixName(key, 'waiting'), suffixName(key, 'given')],
        args: [absent, leaving, yields === true ? '1' : '0', lease > 0 ? '1' : '0', channel],
        read: (reply) => readPass(reply, () => NO_LEASE),
        sending: PUBLISHING,
      },
      callback,
    );
  }
}

function readWait(reply: ReplyReader): PermitsWaitReply {
  switch (reply.integer(0)) {
    case 1:
      return {
        kind: 'granted',
        permits: reply.integer(1),
        isListener: reply.integer(2) === 1,
        called: reply.text(3) || undefined,
      };
    case 2:
      return { kind: 'undone' };
    default:
      return { kind: 'placed', placed: readPlaced(reply, () => NO_LEASE) };
  }
}
