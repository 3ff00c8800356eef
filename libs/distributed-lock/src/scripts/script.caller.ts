import type { AcquireReply, Busy, ReleaseReply, TransferReply } from './lock.replies.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { ScriptRunner } from './script.runner.js';

type Granted = Extract<AcquireReply, { readonly kind: 'granted' }>;

/** The command that tells a channel: sharded channels belong to cluster deployments. */
export type Publish = 'PUBLISH' | 'SPUBLISH';

/** Sends the scripts of one kind. */
export class ScriptCaller {
  constructor(
    private readonly runner: ScriptRunner,
    /** The shared argument of scripts that publish. */
    readonly publish: Publish,
  ) {}

  /** Runs one operation; `keys[0]` is the lock, which errors name. */
  async call(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    options: { readonly shared?: readonly string[]; readonly perCall?: number } = {},
  ): Promise<ReplyReader> {
    return ReplyReader.of(script.name, keys[0], await this.runner.run(script, { keys, args, ...options }));
  }

  /** Runs one operation of a script whose shared argument is the publishing command. */
  tell(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<ReplyReader> {
    return this.call(script, keys, args, { shared: [this.publish] });
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
