import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { acquireFresh } from './late.grant.js';

const LEASE = 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A request that is answered, or fails, after each of these times. */
function requests(...answers: readonly (readonly [after: number, answer: string | RedisFailure])[]) {
  const rest = [...answers];
  return vi.fn<() => Promise<{ kind: string }>>(async () => {
    await Promise.resolve();
    const [after = 0, answer = 'busy'] = rest.shift() ?? [];
    vi.advanceTimersByTime(after);
    if (answer instanceof RedisFailure) throw answer;
    return { kind: answer };
  });
}

describe('acquireFresh', () => {
  test.each(['granted', 'transferred'])(
    'counts the lease of an answer "%s" from the sending of its request, and not from its arrival',
    async (kind) => {
      const start = now();
      const ask = requests([400, kind]);
      const { sent, reply } = await acquireFresh(LEASE, ask);
      expect(reply).toEqual({ kind });
      expect(sent.at).toBe(start);
      expect(now() - start).toBe(400);
      expect(ask).toHaveBeenCalledOnce();
    },
  );

  test('repeats the request for a lease that is half over, and counts the lease from the second sending', async () => {
    const start = now();
    const ask = requests([600, 'granted'], [300, 'transferred']);
    const { sent, reply, first } = await acquireFresh(LEASE, ask);
    expect(first).toEqual({ kind: 'granted' });
    expect(reply).toEqual({ kind: 'transferred' });
    expect(sent.at - start).toBe(600);
  });

  test('does not repeat the request after a late answer that grants nothing', async () => {
    const ask = requests([5000, 'busy']);
    expect(await acquireFresh(LEASE, ask)).toMatchObject({ reply: { kind: 'busy' } });
    expect(ask).toHaveBeenCalledOnce();
  });

  test('fails as ambiguous when the second grant is late, too', async () => {
    const ask = requests([600, 'granted'], [600, 'granted']);
    await expect(acquireFresh(LEASE, ask)).rejects.toMatchObject({ kind: 'ambiguous' });
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test('fails as ambiguous when the second request was refused, since the first one was granted', async () => {
    const refusal = new RedisFailure('refused', 'NOPERM');
    const failure = acquireFresh(LEASE, requests([600, 'granted'], [0, refusal]));
    await expect(failure).rejects.toMatchObject({ kind: 'ambiguous', message: 'NOPERM', cause: refusal });
  });
});
