import { RedisFailure } from '../redis/redis.failure.js';
import type { AcquireReply, Busy, ReleaseReply, TransferReply } from './lock.replies.js';

/** Errors about a wrong type that do not name the key. */
const UNNAMED = /^WRONGTYPE (?:Operation|not a)\b/;

/** Reads a script's reply strictly: a reply that does not have the declared form is an error, never a guess. */
export class ReplyReader {
  /** The number of its fields: a row of one number may be that number. */
  readonly size: number;

  private constructor(
    private readonly script: string,
    private readonly fields: readonly unknown[],
  ) {
    this.size = fields.length;
  }

  /** @throws RedisFailure for an error row `{-1, message, type}` and for anything that is no row */
  static of(script: string, key: string, reply: unknown): ReplyReader {
    const reader = new ReplyReader(script, Array.isArray(reply) ? reply : [reply]);
    if (reader.integer(0) !== -1) return reader;
    const message = reader.text(1);
    const code = /^[A-Z]+/.exec(message)?.[0];
    // A script that has several keys names the wrong one itself.
    const type = UNNAMED.test(message) ? `: "${key}" is a ${reader.text(2)}` : '';
    throw new RedisFailure('refused', `${message}${type}`, { code });
  }

  integer(at: number): number {
    const value = Number(this.fields[at] ?? NaN);
    if (!Number.isSafeInteger(value)) throw this.malformed();
    return value;
  }

  text(at: number): string {
    const value = this.fields[at];
    if (typeof value !== 'string') throw this.malformed();
    return value;
  }

  texts(at: number): string[] {
    const value = this.fields[at];
    if (!Array.isArray(value)) throw this.malformed();
    return value.map(String);
  }

  malformed(): RedisFailure {
    return new RedisFailure(
      'refused',
      `${this.script} returned an unknown reply: ${JSON.stringify(this.fields)}`,
    );
  }
}

type GrantedReply = Extract<AcquireReply, { readonly kind: 'granted' }>;

/** Whether the row is a `{1, …}`. */
export function isDone(reply: ReplyReader): boolean {
  return reply.integer(0) === 1;
}

/**
 * The rows `{0, ttl, one holder}` busy, `{1, count, …}` or `1` granted, `{2}` lost, `{3, …}` queued.
 * @param requestedCount the requested count: the reply `1` stands for just that
 * @param more reads what the kind grants beside the count
 */
export function readAcquire(
  reply: ReplyReader,
  requestedCount: number,
  more?: (granted: ReplyReader) => Pick<GrantedReply, 'token' | 'room'>,
): AcquireReply {
  switch (reply.integer(0)) {
    case 0:
      return readBusy(reply);
    case 1:
      return {
        kind: 'granted',
        count: reply.size === 1 ? requestedCount : reply.integer(1),
        ...more?.(reply),
      };
    case 2:
      return { kind: 'lost' };
    case 3:
      return { kind: 'queued' };
    default:
      throw reply.malformed();
  }
}

/** The rows `{0, ttl, one holder}` busy, `{1, …}` transferred, `{2, …}` granted. @param more reads what the kind grants beside the lock */
export function readTransfer(
  reply: ReplyReader,
  more?: (taken: ReplyReader) => Pick<GrantedReply, 'token'>,
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

/** The rows `{0}` gone, `{1, reached}` or `{1, reached, called}` released, `1` released and no client was reached, `{2, …}` kept. */
export function readRelease(reply: ReplyReader): ReleaseReply {
  switch (reply.integer(0)) {
    case 0:
      return { kind: 'gone' };
    case 1:
      return reply.size < 3
        ? { kind: 'released', reached: reply.size === 1 ? 0 : reply.integer(1) }
        : { kind: 'released', reached: reply.integer(1), called: reply.text(2) };
    case 2:
      return { kind: 'kept' };
    default:
      throw reply.malformed();
  }
}

export function readBusy(reply: ReplyReader): Busy {
  return { kind: 'busy', ttl: reply.integer(1), holder: reply.text(2) };
}
