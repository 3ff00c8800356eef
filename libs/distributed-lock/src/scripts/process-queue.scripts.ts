import type {
  PassCommand,
  PassReply,
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
export const TURN_LEASE = 1000;

/** How a kind waits. */
export interface WaitScript {
  readonly script: LuaScript;
  readonly keys: readonly [string, ...string[]];
  /** Reads what the kind grants beside the count. */
  readonly more?: (granted: ReplyReader) => { readonly token: bigint };
}

/** The scripts of the queue of processes at a re-entrant lock, typed. */
export class ProcessQueueScripts implements QueueScripts {
  readonly leavesSafely = false;
  readonly #waiting = new SharedNumbers({ ...GRANTING, ...PUBLISHING });

  constructor(private readonly runner: ScriptRunner) {}

  placeOf(holder: string): string {
    return holder;
  }

  wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const { key } = command;
    this.sendWait({ script: reentrantWait, keys: [key, suffixName(key, 'waiting')] }, command, callback);
  }

  pass(command: PassCommand, callback: ReplyCallback<PassReply>): void {
    const { key, channel, absent = '', leaving = '', yields, lease = 0 } = command;
    this.runner.send(
      {
        script: reentrantPass,
        keys: [key, suffixName(key, 'waiting')],
        args: [absent, leaving, yields === true ? '1' : '0', `${lease}`, channel],
        read: readPass,
        sending: PUBLISHING,
      },
      callback,
    );
  }

  protected sendWait(
    { script, keys, more }: WaitScript,
    { channel, holder, lease, ticket, listens, life, soon }: WaitCommand,
    callback: ReplyCallback<WaitReply>,
  ): void {
    this.runner.send(
      {
        script,
        keys,
        args: [holder, `${ticket}`, listens ? '1' : '0', channel],
        read: (reply) => readWait(reply, more),
        sending: this.#waiting.of(lease, life, soon),
      },
      callback,
    );
  }
}

function readWait(reply: ReplyReader, more?: WaitScript['more']): WaitReply {
  const isListener = (at: number) => reply.integer(at) === 1;
  if (isDone(reply))
    return { kind: 'granted', count: reply.integer(1), isListener: isListener(2), ...more?.(reply) };
  if (reply.integer(0) !== 0) throw reply.malformed();
  return {
    ...readBusy(reply),
    ticket: reply.integer(3),
    isListener: isListener(4),
    isListenerMissing: reply.integer(5) === 1,
    places: reply.integer(6),
    first: reply.text(7) || undefined,
  };
}

function readPass(reply: ReplyReader): PassReply {
  switch (reply.integer(0)) {
    case 0:
      return { ...readBusy(reply), places: reply.integer(3), first: reply.text(4) || undefined };
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
