import type { AcquireReply, Busy, ReleaseReply, TransferReply } from './lock.replies.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { ScriptRunner, Sending } from './script.runner.js';

/** The rows that replicas have to acknowledge: `{1, …}` of what acquires, renews or claims. */
export const GRANTS = [1];

/** An operation that gives the lock to somebody. */
export const GRANTING: Sending = { grants: GRANTS };

/** One that hands the lock over, which may grant it as well. */
export const TRANSFERRING: Sending = { grants: [1, 2] };

/** One of a script that tells a channel. */
export const TELLING: Sending = { publishes: true };

type Granted = Extract<AcquireReply, { readonly kind: 'granted' }>;

/** Sends the scripts of one kind. */
export class ScriptCaller {
  constructor(private readonly runner: ScriptRunner) {}

  /** Runs one operation; `keys[0]` is the lock, which errors name. @param read makes of its row what the caller wants to know */
  call<T>(
    script: LuaScript,
    keys: readonly [string, ...string[]],
    args: readonly string[],
    read: (reply: ReplyReader) => T,
    sending?: Sending,
  ): Promise<T> {
    const readRow = (row: unknown) => read(ReplyReader.of(script.name, keys[0], row));
    return this.runner.run(script, keys, args, readRow, sending);
  }
}

/** Whether the row is a `{1, …}`. */
export function isDone(reply: ReplyReader): boolean {
  return reply.integer(0) === 1;
}

/**
 * The rows `{0, ttl, one holder}` busy, `{1, count, …}` or `1` granted, `{2}` lost.
 * @param asked the count that was asked for: `1` is no more than that
 * @param more what the kind grants beside the count
 */
export function readAcquire(
  reply: ReplyReader,
  asked: number,
  more?: (granted: ReplyReader) => Pick<Granted, 'token' | 'room'>,
): AcquireReply {
  switch (reply.integer(0)) {
    case 0:
      return readBusy(reply);
    case 1:
      return { kind: 'granted', count: reply.size === 1 ? asked : reply.integer(1), ...more?.(reply) };
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

/** The rows `{0}` gone, `{1, reached}` released, `1` released and nobody was reached, `{2, …}` kept. */
export function readRelease(reply: ReplyReader): ReleaseReply {
  switch (reply.integer(0)) {
    case 0:
      return { kind: 'gone' };
    case 1:
      return { kind: 'released', reached: reply.size === 1 ? 0 : reply.integer(1) };
    case 2:
      return { kind: 'kept' };
    default:
      throw reply.malformed();
  }
}

function readBusy(reply: ReplyReader): Busy {
  return { kind: 'busy', ttl: reply.integer(1), holder: reply.text(2) };
}
