import type { AcquireReply, Busy, ReleaseReply, TransferReply } from './lock.replies.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { Invocation, ScriptRunner } from './script.runner.js';

/** The rows that replicas have to acknowledge: `{1, …}` of what acquires, renews or claims. */
export const GRANTS = [1];

/** Those of a transfer, which may grant as well. */
const TRANSFERS = [1, 2];

type Granted = Extract<AcquireReply, { readonly kind: 'granted' }>;

/** Sends the scripts of one kind. */
export class ScriptCaller {
  constructor(private readonly runner: ScriptRunner) {}

  /** Runs one operation; `keys[0]` is the lock, which errors name. */
  async call(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options: Omit<Invocation, 'keys' | 'args'> = {},
  ): Promise<ReplyReader> {
    return ReplyReader.of(script.name, keys[0], await this.runner.run(script, { keys, args, ...options }));
  }

  /** Runs one operation that gives the lock to somebody. */
  grant(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options: Omit<Invocation, 'keys' | 'args' | 'grants'> = {},
  ): Promise<ReplyReader> {
    return this.call(script, keys, args, { ...options, grants: GRANTS });
  }

  /** Runs one operation that hands the lock over. */
  transfer(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<ReplyReader> {
    return this.call(script, keys, args, { grants: TRANSFERS });
  }

  /** Runs one operation of a script that tells a channel. */
  tell(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options: Omit<Invocation, 'keys' | 'args' | 'publishes'> = {},
  ): Promise<ReplyReader> {
    return this.call(script, keys, args, { ...options, publishes: true });
  }
}

/** The rows `{0, ttl, one holder}` busy, `{1, count, …}` granted, `{2}` lost. @param more what the kind grants beside the count */
export function readAcquire(
  reply: ReplyReader,
  more?: (granted: ReplyReader) => Pick<Granted, 'token' | 'room'>,
): AcquireReply {
  switch (reply.integer(0)) {
    case 0:
      return readBusy(reply);
    case 1:
      return { kind: 'granted', count: reply.integer(1), ...more?.(reply) };
    case 2:
      return { kind: 'lost' };
    default:
      throw reply.malformed();
  }
}

/** The rows `{0, ttl, one holder}` busy, `{1, …}` transferred, `{2, …}` granted. @param more what the kind gives with it */
export function readTransfer(
  reply: ReplyReader,
  more?: (taken: ReplyReader) => Pick<Granted, 'token'>,
): TransferReply {
  switch (reply.integer(0)) {
    case 0:
      return readBusy(reply);
    case 1:
      return { kind: 'transferred', ...more?.(reply) };
    case 2:
      return { kind: 'granted', ...more?.(reply) };
    default:
      throw reply.malformed();
  }
}

/** The rows `{0}` gone, `{1, reached}` released, `{2, …}` kept. */
export function readRelease(reply: ReplyReader): ReleaseReply {
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

function readBusy(reply: ReplyReader): Busy {
  return { kind: 'busy', ttl: reply.integer(1), holder: reply.text(2) };
}
