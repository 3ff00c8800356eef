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
import type { ScriptCaller } from './script.caller.js';
import { semaphoreChannel, suffixName } from './wire.names.js';

/** `permits`: those that are available after the call. */
export type PermitsReply =
  { readonly kind: 'granted' | 'busy'; readonly permits: number } | { readonly kind: 'undone' };

/** `reached`: the clients that heard the message, or -1 when publishing was refused. */
export type AddReply =
  { readonly kind: 'added'; readonly permits: number; readonly reached: number } | { readonly kind: 'none' };

/** How permits are added. */
export interface Addition {
  /** What the channel is told: the permits that are available now, or, for permits that expire, the change. @default 'value' */
  readonly payload?: 'value' | 'change';
  /** `existing`: without a key nothing is done. @default 'anywhere' */
  readonly where?: 'anywhere' | 'existing';
}

export interface SemaphoreState {
  readonly permits: number;
  /** What is left of the semaphore's own time in ms; -1 for no end, -2 when there is no key. */
  readonly ttl: number;
}

/**
 * The scripts of the semaphore, typed. Each operation that takes a `call` id is safe to repeat under that id, until its record is
 * forgotten ({@link CallScripts}).
 */
export class SemaphoreScripts {
  constructor(private readonly caller: ScriptCaller) {}

  /** Takes all of the permits, or none. */
  async acquire(name: string, call: string, permits: number): Promise<PermitsReply> {
    const reply = await this.caller.grant(
      semaphoreAcquire,
      [name, callRecord(name, call)],
      [`${permits}`, `${CALL_LIFE}`],
    );
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

  /** Gives back what an acquisition or a drain took whose reply never came, and sees to it that a late run of it takes nothing. */
  async undo(name: string, call: string): Promise<'returned' | 'gone'> {
    const args = [`${CALL_ECHO}`, semaphoreChannel(name)];
    return (await this.caller.tell(semaphoreUndo, [name, callRecord(name, call)], args)).integer(0) === 1
      ? 'returned'
      : 'gone';
  }

  /** Adds permits, or takes away some when `change` is negative, whether they are available or not. */
  async add(
    name: string,
    call: string,
    change: number,
    { payload = 'value', where = 'anywhere' }: Addition = {},
  ): Promise<AddReply> {
    const args = [`${change}`, payload, where, `${CALL_LIFE}`, semaphoreChannel(name)];
    const reply = await this.caller.tell(semaphoreAdd, [name, callRecord(name, call)], args);
    if (reply.integer(0) !== 1) return { kind: 'none' };
    return { kind: 'added', permits: reply.integer(1), reached: reply.integer(2) };
  }

  /** Takes all permits. @returns how many; undefined when the call was undone before it came */
  async drain(name: string, call: string): Promise<number | undefined> {
    const reply = await this.caller.grant(semaphoreDrain, [name, callRecord(name, call)], [`${CALL_LIFE}`]);
    return reply.integer(0) === 1 ? reply.integer(1) : undefined;
  }

  /** Makes the semaphore. @param ttl its life in ms; 0 for no end. @returns false when there is one already */
  async trySet(name: string, call: string, permits: number, ttl: number): Promise<boolean> {
    const args = [`${permits}`, `${ttl}`, `${CALL_LIFE}`, semaphoreChannel(name)];
    return (await this.caller.tell(semaphoreSet, [name, callRecord(name, call)], args)).integer(0) === 1;
  }

  async inspect(name: string): Promise<SemaphoreState> {
    const reply = await this.caller.call(semaphoreInspect, [name], []);
    return { permits: reply.integer(1), ttl: reply.integer(2) };
  }

  /** Deletes the semaphore, and the leases of its permits if it has any. @returns whether there was one */
  async delete(name: string): Promise<boolean> {
    const reply = await this.caller.call(semaphoreDelete, [name, suffixName(name, 'timeout')], []);
    return reply.integer(0) === 1;
  }
}
