import type { Busy } from '../replies/lock.replies.js';
import type {
  PassCommand,
  PassReply,
  Placed,
  QueueScripts,
  WaitCommand,
  WaitReply,
} from '../replies/queue.replies.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import { isDone, readBusy, type ReplyReader } from '../replies/reply.reader.js';
import { reentrantPass, reentrantWait } from './generated/lua.scripts.js';
import type { LuaScript } from '../script-runner/lua.script.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { SharedNumbers } from '../script-runner/shared.numbers.js';
import { suffixName } from './wire.names.js';

/**
 * The short lease of a place that gets the lock at once, because others listen that are as fast as a request of its process, in ms. A process
 * that does not come loses it within 30 ms, and the next one is delayed for the whole of it only if no guard is alive.
 */
export const SHORT_LEASE = 1000;

/** A script of a kind, and how its rows are read. */
interface QueueScript {
  readonly script: LuaScript;
  readonly keys: readonly [string, ...string[]];
  /** Reads the row of a lock that is not free. @default its ttl and a holder */
  readonly busy?: (reply: ReplyReader) => Busy;
}

/** How a kind waits. */
export interface WaitScript extends QueueScript {
  /** What names the attempt. @default its holder id */
  readonly names?: readonly string[];
  /** Reads what it grants. */
  readonly granted: (reply: ReplyReader) => Omit<Granted, 'kind' | 'count'>;
}

type Granted = Extract<WaitReply, { readonly kind: 'granted' }>;

/** The scripts of the queue of processes at a re-entrant lock, typed. */
export class ProcessQueueScripts implements QueueScripts {
  readonly leavingFreesNothing: boolean = false;
  readonly #waiting = new SharedNumbers({ ...GRANTING, ...PUBLISHING });

  constructor(private readonly runner: ScriptRunner) {}

  placeOf(holder: string): string {
    return holder;
  }

  wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const { key } = command;
    const keys = [key, suffixName(key, 'waiting')] as const;
    this.sendWait({ script: reentrantWait, keys, granted: readListener }, command, callback);
  }

  pass(command: PassCommand, callback: ReplyCallback<PassReply>): void {
    const { key } = command;
    this.sendPass({ script: reentrantPass, keys: [key, suffixName(key, 'waiting')] }, command, callback);
  }

  protected sendWait(
    { script, keys, busy = readBusy, names, granted }: WaitScript,
    { channel, holder, lease, ticket, listens, life, soon }: WaitCommand,
    callback: ReplyCallback<WaitReply>,
  ): void {
    this.runner.send(
      {
        script,
        keys,
        args: [...(names ?? [holder]), `${ticket}`, listens ? '1' : '0', channel],
        read: (reply) =>
          isDone(reply)
            ? { kind: 'granted', count: reply.integer(1), ...granted(reply) }
            : readPlaced(reply, busy),
        sending: this.#waiting.of(lease, life, soon),
      },
      callback,
    );
  }

  protected sendPass(
    { script, keys, busy = readBusy }: QueueScript,
    { channel, absent = '', leaving = '', yields, lease = 0 }: PassCommand,
    callback: ReplyCallback<PassReply>,
  ): void {
    this.runner.send(
      {
        script,
        keys,
        args: [absent, leaving, yields === true ? '1' : '0', `${lease}`, channel],
        read: (reply) => readPass(reply, busy),
        sending: PUBLISHING,
      },
      callback,
    );
  }
}

/** The row `{1, count, listener, …}`. */
export function readListener(granted: ReplyReader): Pick<Granted, 'isListener'> {
  return { isListener: granted.integer(2) === 1 };
}

/** The row of a process that was given a place. */
export function readPlaced(reply: ReplyReader, busy: (reply: ReplyReader) => Busy): Placed {
  if (reply.integer(0) !== 0) throw reply.malformed();
  return {
    ...busy(reply),
    ticket: reply.integer(3),
    isListener: reply.integer(4) === 1,
    isListenerMissing: reply.integer(5) === 1,
    places: reply.integer(6),
    first: reply.text(7) || undefined,
  };
}

export function readPass(reply: ReplyReader, busy: (reply: ReplyReader) => Busy): PassReply {
  switch (reply.integer(0)) {
    case 0:
      return { ...busy(reply), places: reply.integer(3), first: reply.text(4) || undefined };
    case 1:
      return { kind: 'called', place: reply.text(1) };
    case 2:
      return { kind: 'none' };
    case 3:
      return { kind: 'theirs' };
    default:
      throw reply.malformed();
  }
}
