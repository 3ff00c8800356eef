import type { Busy, ReleaseReply } from './lock.replies.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { ScriptRunner } from './script.runner.js';

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

/** The row `{0, ttl, one holder}`. */
export function readBusy(reply: ReplyReader): Busy {
  return { kind: 'busy', ttl: reply.integer(1), holder: reply.text(2) };
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
