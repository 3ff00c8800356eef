import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Instant } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';

/** An answer, and when what it answers was sent: the lease that it grants counts from then. */
export interface TimelyAnswer<R> {
  readonly reply: R;
  readonly sent: Instant;
}

/**
 * Asks for a lease, and once more when the grant was so long on its way that half of it is over: nobody must begin with a lease
 * that is nearly at its end. Only for scripts that are safe to repeat and give the lease afresh.
 */
export async function askInTime<R extends { readonly kind: string }>(
  lease: number,
  ask: () => Promise<R>,
): Promise<TimelyAnswer<R>> {
  const first = instant();
  const reply = await ask();
  if (reply.kind === 'busy' || now() - first.at <= lease / 2) return { reply, sent: first };
  const sent = instant();
  try {
    return { reply: await ask(), sent };
  } catch (error) {
    // Whatever became of the second question, the first one was granted.
    const { message, code, settled } = RedisFailure.from(error);
    throw new RedisFailure('ambiguous', message, code, settled, { cause: error });
  }
}
