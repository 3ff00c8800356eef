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

/** `permits`: the number of available permits after the call; `queued`: there are enough, and another process comes first. */
export type PermitsReply =
  | { readonly kind: 'granted' | 'busy' | 'queued'; readonly permits: number }
  | { readonly kind: 'undone' };

/** What came back was announced. */
export interface Announced {
  /** The number of available permits. */
  readonly permits: number;
  /**
   * The number of clients that received the message; where processes wait in a queue, of those that listen beside its listeners. -1 if
   * publishing was refused.
   */
  readonly reached: number;
  /** Where processes wait in a queue: the place that was notified of its turn, empty for none. */
  readonly called: string | undefined;
}

export type AddReply = ({ readonly kind: 'added' } & Announced) | { readonly kind: 'none' };

export type UndoReply = ({ readonly kind: 'returned' } & Announced) | { readonly kind: 'gone' };

/** How permits are added. */
export interface Addition {
  /** The number; below 0 it takes some away. */
  readonly change: number;
  /** The payload on the channel: the number of available permits, or, for permits that expire, the change. @default 'value' */
  readonly payload?: 'value' | 'change';
  /** `existing`: without a key nothing is done. @default 'anywhere' */
  readonly where?: 'anywhere' | 'existing';
}

/** Takes permits. */
export interface PermitsCommand {
  /** The semaphore in Redis. */
  readonly name: string;
  /** The id of the call, which is also the place that it may have in the queue. */
  readonly call: string;
  readonly permits: number;
  /** Whether it takes none before the processes that have a place. */
  readonly waits: boolean;
}

/** Creates a semaphore. */
export interface SetCommand {
  /** The semaphore in Redis. */
  readonly name: string;
  readonly call: string;
  readonly permits: number;
  /** The life of the semaphore in ms; 0 for no end. */
  readonly ttl: number;
  /** Whether its permits expire: their queue has places of another form. */
  readonly expires: boolean;
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
  /** @param hasQueue whether processes that wait for permits have a queue */
  constructor(
    private readonly runner: ScriptRunner,
    private readonly hasQueue = true,
  ) {}

  /** Takes all of the permits, or none. */
  acquire({ name, call, permits, waits }: PermitsCommand, callback: ReplyCallback<PermitsReply>): void {
    const args = [call, `${permits}`, `${CALL_LIFE}`, waits ? '1' : '0'];
    this.runner.send(
      {
        script: semaphoreAcquire,
        keys: this.#keysOf(name, call),
        args,
        read: readPermits,
        sending: GRANTING,
      },
      callback,
    );
  }

  /** Gives back the permits of an acquisition or a drain that never got a reply, and makes a late run of it take nothing. */
  undo(name: string, call: string): Promise<UndoReply> {
    const args = [call, `${CALL_ECHO}`, semaphoreChannel(name)];
    const read = (reply: ReplyReader): UndoReply =>
      isDone(reply) ? { kind: 'returned', ...readAnnounced(reply) } : { kind: 'gone' };
    return this.runner.runLate({
      script: semaphoreUndo,
      keys: this.#keysOf(name, call),
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
        // The queue of permits that expire has places of another form, and listeners that act on the message.
        keys: this.#keysOf(name, call, this.hasQueue && payload === 'value'),
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

  /** Creates the semaphore. @returns undefined when there is one already */
  trySet({ name, call, permits, ttl, expires }: SetCommand): Promise<Announced | undefined> {
    return this.runner.run({
      script: semaphoreSet,
      keys: this.#keysOf(name, call, this.hasQueue && !expires),
      args: [`${permits}`, `${ttl}`, `${CALL_LIFE}`, semaphoreChannel(name)],
      read: (reply) => (isDone(reply) ? readAnnounced(reply) : undefined),
      sending: PUBLISHING,
    });
  }

  inspect(name: string): Promise<SemaphoreState> {
    const read = (reply: ReplyReader) => ({ permits: reply.integer(1), ttl: reply.integer(2) });
    return this.runner.run({ script: semaphoreInspect, keys: [name], args: [], read });
  }

  /** Deletes the semaphore, and the leases of its permits if it has any. @param expires whether they expire @returns whether there was one */
  delete(name: string, expires: boolean): Promise<boolean> {
    return this.runner.run({
      script: semaphoreDelete,
      keys: [name, suffixName(name, 'timeout'), expires || !this.hasQueue ? name : suffixName(name, 'given')],
      args: [],
      read: isDone,
    });
  }

  /** The semaphore, the record of the call, and those of the queue of processes; for scripts without one the semaphore again. */
  #keysOf(name: string, call: string, hasQueue = this.hasQueue): [string, ...string[]] {
    const queue = hasQueue ? [suffixName(name, 'waiting'), suffixName(name, 'given')] : [name, name];
    return [name, callRecord(name, call), ...queue];
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
    case 3:
      return { kind: 'queued', permits: reply.integer(1) };
    default:
      throw reply.malformed();
  }
}

function readAddition(reply: ReplyReader): AddReply {
  if (!isDone(reply)) return { kind: 'none' };
  return { kind: 'added', ...readAnnounced(reply) };
}

function readAnnounced(reply: ReplyReader): Announced {
  const called = reply.size > 3 ? reply.text(3) : undefined;
  return { permits: reply.integer(1), reached: reply.integer(2), called };
}
