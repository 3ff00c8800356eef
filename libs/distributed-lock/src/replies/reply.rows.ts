import type { AcquireReply, Busy, ReleaseReply, TransferReply } from './lock.replies.js';
import type { ReplyReader } from './reply.reader.js';

type Granted = Extract<AcquireReply, { readonly kind: 'granted' }>;

/** Whether the row is a `{1, …}`. */
export function isDone(reply: ReplyReader): boolean {
  return reply.integer(0) === 1;
}

/**
 * The rows `{0, ttl, one holder}` busy, `{1, count, …}` or `1` granted, `{2}` lost.
 * @param asked the requested count: the reply `1` stands for just that
 * @param more reads what the kind grants beside the count
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

/** The rows `{0, ttl, one holder}` busy, `{1, …}` transferred, `{2, …}` granted. @param more reads what the kind grants beside the lock */
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

/** The rows `{0}` gone, `{1, reached}` released, `1` released and no client was reached, `{2, …}` kept. */
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
