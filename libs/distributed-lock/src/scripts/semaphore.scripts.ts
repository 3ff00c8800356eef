import { CALL_ECHO, CALL_LIFE, callRecord } from './call.scripts.js';
import {
  semaphoreAcquire,
  semaphoreAdd,
  semaphoreDelete,
  semaphoreDrain,
  semaphoreInspect,
  semaphoreSet,
  semaphoreUndo,
} from './generated/lua.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { isDone } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { semaphoreChannel, suffixName } from './wire.names.js';

/** `permits`: the number of available permits after the call. */
export type PermitsReply =
  | { readonly kind: 'granted' | 'busy'; readonly permits: number }
  | { readonly kind: 'undone' };

/** `reached`: the number of clients that received the message, or -1 when publishing was refused. */
export type AddReply =
  | { readonly kind: 'added'; readonly permits: number; readonly reached: number }
  | { readonly kind: 'none' };

/** How permits are added. */
export interface Addition {
  /** The number; below 0 it takes some away. */
  readonly change: number;
  /** The payload on the channel: the number of available permits, or, for permits that expire, the change. @default 'value' */
  readonly payload?: 'value' | 'change';
  /** `existing`: without a key nothing is done. @default 'anywhere' */
  readonly where?: 'anywhere' | 'existing';
}

export interface SemaphoreState {
  readonly permits: number;
  /** The rest of the semaphore's own time in ms; -1 for no end, -2 when there is no key. */
  readonly ttl: number;
}

/**
 * The scripts of the semaphore, typed. Each operation that takes a `call` id is safe to repeat under that id, until its record is
 * forgotten ({@link CallScripts}).
 */
export class SemaphoreScripts {
  constructor(private readonly runner: ScriptRunner) {}

  /** Takes all of the permits, or none. */
  acquire(name: string, call: string, permits: number, callback: ReplyCallback<PermitsReply>): void {
    const args = [`${permits}`, `${CALL_LIFE}`];
    this.runner.send(
      {
        script: semaphoreAcquire,
        keys: [name, callRecord(name, call)],
        args,
        read: readPermits,
        sending: GRANTING,
      },
      callback,
    );
  }

  /** Gives back the permits of an acquisition or a drain that never got a reply, and makes a late run of it take nothing. */
  undo(name: string, call: string): Promise<'returned' | 'gone'> {
    const args = [`${CALL_ECHO}`, semaphoreChannel(name)];
    const read = (reply: ReplyReader) => (isDone(reply) ? 'returned' : 'gone');
    return this.runner.runLate({
      script: semaphoreUndo,
      keys: [name, callRecord(name, call)],
      args,
      read,
      sending: PUBLISHING,
    });
  }

  /** Adds permits, or takes away some, whether they are available or not. */
  add(
    name: string,
    call: string,
    { change, payload = 'value', where = 'anywhere' }: Addition,
    callback: ReplyCallback<AddReply>,
  ): void {
    const args = [`${change}`, payload, where, `${CALL_LIFE}`, semaphoreChannel(name)];
    this.runner.send(
      {
        script: semaphoreAdd,
        keys: [name, callRecord(name, call)],
        args,
        read: readAddition,
        sending: PUBLISHING,
      },
      callback,
    );
  }

  /** Takes all permits. @returns how many; undefined when the call was undone before it came */
  drain(name: string, call: string): Promise<number | undefined> {
    const read = (reply: ReplyReader) => (isDone(reply) ? reply.integer(1) : undefined);
    const keys: [string, string] = [name, callRecord(name, call)];
    return this.runner.run({ script: semaphoreDrain, keys, args: [`${CALL_LIFE}`], read, sending: GRANTING });
  }

  /** Creates the semaphore. @param ttl its life in ms; 0 for no end. @returns false when there is one already */
  trySet(name: string, call: string, permits: number, ttl: number): Promise<boolean> {
    const args = [`${permits}`, `${ttl}`, `${CALL_LIFE}`, semaphoreChannel(name)];
    return this.runner.run({
      script: semaphoreSet,
      keys: [name, callRecord(name, call)],
      args,
      read: isDone,
      sending: PUBLISHING,
    });
  }

  inspect(name: string): Promise<SemaphoreState> {
    const read = (reply: ReplyReader) => ({ permits: reply.integer(1), ttl: reply.integer(2) });
    return this.runner.run({ script: semaphoreInspect, keys: [name], args: [], read });
  }

  /** Deletes the semaphore, and the leases of its permits if it has any. @returns whether there was one */
  delete(name: string): Promise<boolean> {
    return this.runner.run({
      script: semaphoreDelete,
      keys: [name, suffixName(name, 'timeout')],
      args: [],
      read: isDone,
    });
  }
}

function readPermits(reply: ReplyReader): PermitsReply {
  switch (reply.integer(0)) {
    case 0:
      return { kind: 'busy', permits: reply.integer(1) };
    case 1:
      return { kind: 'granted', permits: reply.integer(1) };
    case 2:
      return { kind: 'undone' };
    default:
      throw reply.malformed();
  }
}

function readAddition(reply: ReplyReader): AddReply {
  if (!isDone(reply)) return { kind: 'none' };
  return { kind: 'added', permits: reply.integer(1), reached: reply.integer(2) };
}
