import type {
  AcquireCommand,
  AcquireReply,
  LockScripts,
  LockState,
  ReleaseCommand,
  ReleaseReply,
} from '../replies/lock.replies.js';
import type { LuaScript } from '../script-runner/lua.script.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { isDone } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { PUBLISHING } from '../script-runner/sending.js';
import { suffixName } from './wire.names.js';

/** The scripts of one side that take the same arguments on both sides. */
export interface SideScripts {
  readonly forceRelease: LuaScript;
  readonly inspect: LuaScript;
}

/** The common part of both sides of a read/write lock. */
export abstract class ReadWriteScripts implements LockScripts {
  /** @param hasQueue whether processes that wait to write have a queue */
  constructor(
    protected readonly runner: ScriptRunner,
    private readonly side: SideScripts,
    private readonly hasQueue: boolean,
  ) {}

  abstract acquire(command: AcquireCommand, callback: ReplyCallback<AcquireReply>): void;

  abstract release(command: ReleaseCommand, callback: ReplyCallback<ReleaseReply>): void;

  forceRelease(lock: string, channel: string): Promise<boolean> {
    return this.runner.run({
      script: this.side.forceRelease,
      keys: [lock],
      args: [channel],
      read: isDone,
      sending: PUBLISHING,
    });
  }

  inspect(lock: string, holder: string): Promise<LockState> {
    return this.runner.run({ script: this.side.inspect, keys: [lock], args: [holder], read: readState });
  }

  abstract renew(
    lock: string,
    holder: string,
    lease: number,
    callback: ReplyCallback<number | undefined>,
  ): void;

  /** The queue of processes that wait to write; for scripts that use none the key of the lock again. */
  protected waitingOf(lock: string): string {
    return this.hasQueue ? suffixName(lock, 'waiting') : lock;
  }
}

/** The key with the name of the waiting writer, in the slot of the lock. Java does not know it (wire format D15). */
export function intentOf(lock: string): string {
  return suffixName(lock, 'write_intent');
}

function readState(reply: ReplyReader): LockState {
  return {
    isLocked: reply.integer(4) === 1,
    ttl: reply.integer(1),
    count: reply.integer(2),
    holder: reply.text(3) || undefined,
  };
}
