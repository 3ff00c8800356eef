import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantRelease,
  reentrantTransfer,
} from './generated/lua.scripts.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { ScriptRunner } from './script.runner.js';

/** A lock that somebody else has. */
export interface Busy {
  readonly kind: 'busy';
  /** What is left of the lease in ms; -1 for none. */
  readonly ttl: number;
  readonly holder: string;
}

export type AcquireReply =
  { readonly kind: 'granted'; readonly count: number } | Busy | { readonly kind: 'lost' };
/** `reached`: the clients that heard the message, or -1 when publishing was refused. */
export type ReleaseReply =
  { readonly kind: 'released'; readonly reached: number } | { readonly kind: 'kept' | 'gone' };
export type TransferReply = { readonly kind: 'transferred' | 'granted' } | Busy;

export interface LockState {
  /** In ms; -1 for none, -2 for a free lock. */
  readonly ttl: number;
  readonly count: number;
  readonly holder: string | undefined;
}

/** The scripts of the re-entrant lock, typed; the replies' numbers appear here and in the Lua only. */
export class ReentrantScripts {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly publish: 'PUBLISH' | 'SPUBLISH',
  ) {}

  async acquire(lock: string, holder: string, lease: number, count: number): Promise<AcquireReply> {
    const reply = await this.#run(reentrantAcquire, lock, [holder, `${lease}`, `${count}`]);
    switch (reply.integer(0)) {
      case 0:
        return busy(reply);
      case 1:
        return { kind: 'granted', count: reply.integer(1) };
      case 2:
        return { kind: 'lost' };
      default:
        throw reply.malformed();
    }
  }

  async release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
  ): Promise<ReleaseReply> {
    const reply = await this.#run(
      reentrantRelease,
      lock,
      [holder, `${count}`, `${lease}`, channel],
      [this.publish],
    );
    switch (reply.integer(0)) {
      case 0:
        return { kind: 'gone' };
      case 1:
        return { kind: 'released', reached: reply.integer(1) };
      case 2:
        return { kind: 'kept' };
      default:
        throw reply.malformed();
    }
  }

  async transfer(lock: string, from: string, to: string, lease: number): Promise<TransferReply> {
    const reply = await this.#run(reentrantTransfer, lock, [from, to, `${lease}`]);
    switch (reply.integer(0)) {
      case 0:
        return busy(reply);
      case 1:
        return { kind: 'transferred' };
      case 2:
        return { kind: 'granted' };
      default:
        throw reply.malformed();
    }
  }

  /** @returns whether there was a lock to free */
  async forceRelease(lock: string, channel: string): Promise<boolean> {
    const reply = await this.#run(reentrantForceRelease, lock, [channel], [this.publish]);
    return reply.integer(0) === 1;
  }

  async inspect(lock: string, holder: string): Promise<LockState> {
    const reply = await this.#run(reentrantInspect, lock, [holder]);
    return { ttl: reply.integer(1), count: reply.integer(2), holder: reply.text(3) || undefined };
  }

  async #run(
    script: LuaScript,
    lock: string,
    args: readonly string[],
    shared: readonly string[] = [],
  ): Promise<ReplyReader> {
    return ReplyReader.of(script.name, lock, await this.runner.run(script, { keys: [lock], args, shared }));
  }
}

function busy(reply: ReplyReader): Busy {
  return { kind: 'busy', ttl: reply.integer(1), holder: reply.text(2) };
}
