import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { acquireFresh } from './late.grant.js';

const LEASE = 1000;

describe('the answer to a request for a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Answers after so many ms each, and notes when it was requested. */
  function asker(...answers: readonly (readonly [after: number, reply: { kind: string } | Error])[]) {
    const asked: number[] = [];
    const ask = () => {
      const [after, reply] = answers[asked.length] ?? [0, new Error('requested too often')];
      asked.push(now());
      vi.advanceTimersByTime(after);
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    };
    return { asked, ask };
  }

  test.each([0, 499, 500])('counts from its sending when it took %i ms of 1000', async (after) => {
    const { asked, ask } = asker([after, { kind: 'granted' }]);
    const { reply, sent } = await acquireFresh(LEASE, ask);
    expect(reply).toEqual({ kind: 'granted' });
    expect(asked).toEqual([sent.at]);
  });

  test('counts from its sending when it is that of a transfer', async () => {
    const { asked, ask } = asker([400, { kind: 'transferred' }]);
    expect(await acquireFresh(LEASE, ask)).toMatchObject({
      reply: { kind: 'transferred' },
      sent: { at: asked[0] },
    });
    expect(asked).toHaveLength(1);
  });

  test('that took more than half of the lease is requested once more, and counts from then', async () => {
    const { asked, ask } = asker([501, { kind: 'granted' }], [400, { kind: 'granted' }]);
    const { sent } = await acquireFresh(LEASE, ask);
    expect(asked).toHaveLength(2);
    expect(sent.at).toBe(asked[1]);
  });

  test('is the second one when the lock went to another holder meanwhile', async () => {
    const { ask } = asker([5000, { kind: 'granted' }], [1, { kind: 'busy' }]);
    const { reply, first } = await acquireFresh(LEASE, ask);
    expect([reply, first]).toEqual([{ kind: 'busy' }, { kind: 'granted' }]);
  });

  test('is not requested again when the lock is busy', async () => {
    const { asked, ask } = asker([5000, { kind: 'busy' }]);
    expect((await acquireFresh(LEASE, ask)).reply).toEqual({ kind: 'busy' });
    expect(asked).toHaveLength(1);
  });

  test('is ambiguous when it is late twice: it was granted, and is of no use', async () => {
    const { ask } = asker([501, { kind: 'granted' }], [501, { kind: 'granted' }]);
    await expect(acquireFresh(LEASE, ask)).rejects.toMatchObject({ name: 'RedisFailure', kind: 'ambiguous' });
  });

  test('is ambiguous when the second request failed, in whatever way: the first one was granted', async () => {
    for (const kind of ['unsent', 'ambiguous', 'refused'] as const) {
      const failure = new RedisFailure(kind, 'no answer');
      const { ask } = asker([501, { kind: 'granted' }], [1, failure]);
      await expect(acquireFresh(LEASE, ask)).rejects.toMatchObject({ kind: 'ambiguous', cause: failure });
    }
  });

  test('is the error of the first request as it is', async () => {
    const failure = new RedisFailure('unsent', 'no connection');
    const { ask } = asker([5000, failure]);
    await expect(acquireFresh(LEASE, ask)).rejects.toBe(failure);
  });
});
