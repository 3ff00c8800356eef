import { RedisFailure } from '../redis/redis.failure.js';
import { instant, isStale, type Instant } from '../renewal/lease.js';

/** Answers that give a lease; the others may be as late as they like. */
const GRANTS: ReadonlySet<string> = new Set(['granted', 'transferred']);

interface Reply {
  readonly kind: string;
}

/** An answer, and when what it answers was sent: the lease that it grants counts from then. */
export interface FreshAnswer<R> {
  readonly reply: R;
  readonly sent: Instant;
  /** The first reply: what it says of other holders still holds. */
  readonly first: R;
}

/**
 * Requests a lease, and once more when the grant is stale: half of its lease is over, or the machine was suspended since the
 * request. Only for scripts that are safe to repeat and give the lease afresh; an `AcquireAttempt` does the same by itself.
 * @throws RedisFailure `ambiguous` when the second grant is late, too: it was granted, and is of no use
 */
export function acquireFresh<R extends Reply>(
  lease: number,
  send: () => Promise<R>,
): Promise<FreshAnswer<R>> {
  const sent = instant();
  return send().then((first) =>
    isFresh(first, sent, lease) ? { reply: first, sent, first } : acquireAgain(lease, send, first),
  );
}

/** The second request of {@link acquireFresh}, for callers that made the first one themselves. */
export async function acquireAgain<R extends Reply>(
  lease: number,
  send: () => Promise<R>,
  first: R,
): Promise<FreshAnswer<R>> {
  const sent = instant();
  let reply: R;
  try {
    reply = await send();
  } catch (error) {
    // Whatever became of the second request, the first one was granted.
    const { message, code, settled } = RedisFailure.from(error);
    throw new RedisFailure('ambiguous', message, { code, settled, cause: error });
  }
  if (isFresh(reply, sent, lease)) return { reply, sent, first };
  throw new RedisFailure(
    'ambiguous',
    `two grants in a row arrived after more than half of their lease (${lease} ms)`,
  );
}

/** Whether an answer grants nothing, or a lease that is not stale. */
function isFresh({ kind }: Reply, sent: Instant, lease: number): boolean {
  return !GRANTS.has(kind) || !isStale(sent, lease);
}
