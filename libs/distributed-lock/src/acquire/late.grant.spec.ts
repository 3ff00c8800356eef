import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { acquireFresh } from './late.grant.js';

const LEASE = 1000;

describe('the answer to a request for a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Answers after so many ms each, and notes when it was requested. */
  function sender(...answers: readonly (readonly [after: number, reply: { kind: string } | Error])[]) {
    const sentAt: number[] = [];
    const send = () => {
      const [after, reply] = answers[sentAt.length] ?? [0, new Error('requested too often')];
      sentAt.push(now());
      vi.advanceTimersByTime(after);
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    };
    return { sentAt, send };
  }

  test.each([0, 499, 500])('counts from its sending when it took %i ms of 1000', async (after) => {
    const { sentAt, send } = sender([after, { kind: 'granted' }]);
    const { reply, sent } = await acquireFresh(LEASE, send);
    expect(reply).toEqual({ kind: 'granted' });
    expect(sentAt).toEqual([sent.at]);
  });

  test('counts from its sending when it is that of a transfer', async () => {
    const { sentAt, send } = sender([400, { kind: 'transferred' }]);
    expect(await acquireFresh(LEASE, send)).toMatchObject({
      reply: { kind: 'transferred' },
      sent: { at: sentAt[0] },
    });
    expect(sentAt).toHaveLength(1);
  });

  test('that took more than half of the lease is requested once more, and counts from then', async () => {
    const { sentAt, send } = sender([501, { kind: 'granted' }], [400, { kind: 'granted' }]);
    const { sent } = await acquireFresh(LEASE, send);
    expect(sentAt).toHaveLength(2);
    expect(sent.at).toBe(sentAt[1]);
  });

  test.each([
    ['suspended for longer than the margin of the lease is requested once more', 51, 2],
    ['not suspended, whose clock was set by less than that, is not', 50, 1],
    ['set back is not', -5000, 1],
  ])('on a machine that was %s', async (_, wall, requests) => {
    const { sentAt, send } = sender([1, { kind: 'granted' }], [1, { kind: 'granted' }]);
    await acquireFresh(LEASE, async () => {
      const reply = await send();
      if (sentAt.length === 1) vi.setSystemTime(Date.now() + wall);
      return reply;
    });
    expect(sentAt).toHaveLength(requests);
  });

  test('is the second one when the lock went to another holder meanwhile', async () => {
    const { send } = sender([5000, { kind: 'granted' }], [1, { kind: 'busy' }]);
    const { reply, first } = await acquireFresh(LEASE, send);
    expect([reply, first]).toEqual([{ kind: 'busy' }, { kind: 'granted' }]);
  });

  test('is not requested again when the lock is busy', async () => {
    const { sentAt, send } = sender([5000, { kind: 'busy' }]);
    expect((await acquireFresh(LEASE, send)).reply).toEqual({ kind: 'busy' });
    expect(sentAt).toHaveLength(1);
  });

  test('is ambiguous when it is late twice: it was granted, and is of no use', async () => {
    const { send } = sender([501, { kind: 'granted' }], [501, { kind: 'granted' }]);
    await expect(acquireFresh(LEASE, send)).rejects.toMatchObject({
      name: 'RedisFailure',
      kind: 'ambiguous',
    });
  });

  test('is ambiguous when the second request failed, in whatever way: the first one was granted', async () => {
    for (const kind of ['unsent', 'ambiguous', 'refused'] as const) {
      const failure = new RedisFailure(kind, 'no answer');
      const { send } = sender([501, { kind: 'granted' }], [1, failure]);
      await expect(acquireFresh(LEASE, send)).rejects.toMatchObject({ kind: 'ambiguous', cause: failure });
    }
  });

  test('is the error of the first request as it is', async () => {
    const failure = new RedisFailure('unsent', 'no connection');
    const { send } = sender([5000, failure]);
    await expect(acquireFresh(LEASE, send)).rejects.toBe(failure);
  });
});
