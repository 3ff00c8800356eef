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
import type { ScriptRunner } from './script.runner.js';
import { GRANTING, PUBLISHING } from './sending.js';
import { SharedNumbers } from './shared.numbers.js';
import { waitingKey } from './wire.names.js';

/** The scripts of the queue of processes at a re-entrant lock, typed. */
export class ProcessQueueScripts implements QueueScripts {
  readonly #waiting = new SharedNumbers({ ...GRANTING, ...PUBLISHING });

  constructor(private readonly runner: ScriptRunner) {}

  wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const { key, channel, holder, lease, ticket, listens, life, soon } = command;
    this.runner.send(
      {
        script: reentrantWait,
        keys: [key, waitingKey(key)],
        args: [holder, `${ticket}`, listens ? '1' : '0', channel],
        read: readWait,
        sending: this.#waiting.of(lease, life, soon),
      },
      callback,
    );
  }

  pass(command: PassCommand, callback: ReplyCallback<PassReply>): void {
    const { key, channel, absent = '', leaving = '', yields, lease = 0 } = command;
    this.runner.send(
      {
        script: reentrantPass,
        keys: [key, waitingKey(key)],
        args: [absent, leaving, yields === true ? '1' : '0', `${lease}`, channel],
        read: readPass,
        sending: PUBLISHING,
      },
      callback,
    );
  }
}

function readWait(reply: ReplyReader): WaitReply {
  if (isDone(reply)) return { kind: 'granted', count: reply.integer(1) };
  if (reply.integer(0) !== 0) throw reply.malformed();
  return {
    ...readBusy(reply),
    ticket: reply.integer(3),
    isListener: reply.integer(4) === 1,
    isListenerMissing: reply.integer(5) === 1,
    places: reply.integer(6),
    first: reply.text(7) || undefined,
  };
}

function readPass(reply: ReplyReader): PassReply {
  switch (reply.integer(0)) {
    case 0:
      return { ...readBusy(reply), places: reply.integer(3) };
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
