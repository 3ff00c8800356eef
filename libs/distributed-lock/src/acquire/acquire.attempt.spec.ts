import { expect, test } from 'vitest';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { AcquireReply } from '../replies/lock.replies.js';
import type { LateAnswer, ReplyCallback } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import { AcquireAttempt } from './acquire.attempt.js';
import type { AttemptOutcome, WaitingPlace } from './acquire.contract.js';

const turn = () => new Promise(setImmediate);

test('a late grant is not taken for the answer to a later request', async () => {
  const requests: ReplyCallback<AcquireReply>[] = [];
  const renewals: ReplyCallback<number | undefined>[] = [];
  const scripts = {
    acquire: (_terms: unknown, callback: ReplyCallback<AcquireReply>) => requests.push(callback),
    renew: (_key: string, _holder: string, _lease: number, callback: ReplyCallback<number | undefined>) =>
      renewals.push(callback),
  };
  const kind = { handoffLease: 3000, marksWaiters: true, holderIds: { next: () => 'a:1' }, scripts };
  const settings = { watchdogTimeout: 30_000, fairWaitTimeout: 300_000, replication: undefined };
  const attempt = new AcquireAttempt(
    { settings, backgroundRelease: undefined } as unknown as LockContext,
    { key: 'key', kind } as unknown as LockTarget,
  );
  const outcomes: AttemptOutcome[] = [];
  const request = () =>
    attempt.request({ leaseTime: undefined, waitTime: Infinity }, (outcome) => outcomes.push(outcome));
  request();
  // It is granted after its deadline; meanwhile a message announces a hand-off, which no answer confirms.
  const late: LateAnswer<AcquireReply> = Promise.resolve({ reply: { kind: 'granted', count: 1 } });
  requests[0]?.failed(new RedisFailure('ambiguous', 'no answer', { settled: late }), late);
  attempt.onMessage('2');
  request();
  renewals[0]?.failed(new RedisFailure('ambiguous', 'no answer'));
  await turn();
  requests[1]?.failed(new RedisFailure('unsent', 'no connection'));
  request();
  await turn();
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(['ambiguous', 'unsent']);
  expect(requests).toHaveLength(3);
});

test('a place that a late grant led to is given up with the attempt', async () => {
  const acquires: ReplyCallback<AcquireReply>[] = [];
  const waits: ReplyCallback<AcquireReply>[] = [];
  const released: string[] = [];
  const kind = {
    holderIds: { next: () => 'a:1' },
    scripts: { acquire: (_terms: unknown, callback: ReplyCallback<AcquireReply>) => acquires.push(callback) },
    queue: { wait: (_command: unknown, callback: ReplyCallback<AcquireReply>) => waits.push(callback) },
  };
  const settings = { watchdogTimeout: 30_000, fairWaitTimeout: 300_000, replication: undefined };
  const backgroundRelease = { release: ({ holder }: { holder: string }) => released.push(holder) };
  const attempt = new AcquireAttempt(
    { settings, backgroundRelease } as unknown as LockContext,
    { key: 'key', kind } as unknown as LockTarget,
  );
  // Its channel is acknowledged while the first request is on its way.
  let isSubscribed = false;
  attempt.place = {
    beginRequest: () => (isSubscribed ? {} : undefined),
    wasPlaced: () => undefined,
    isUnreachable: false,
  } as unknown as WaitingPlace;
  const outcomes: AttemptOutcome[] = [];
  const conclude = (outcome: AttemptOutcome) => outcomes.push(outcome);
  attempt.request({ leaseTime: 1000, waitTime: 1000 }, conclude, now() - 2000);
  isSubscribed = true;
  acquires[0]?.answered({ kind: 'granted', count: 1 });
  await turn();
  waits[0]?.answered({ kind: 'busy', ttl: 1000, holder: 'b:1' });
  await turn();
  attempt.undo();
  expect([outcomes.map((outcome) => outcome.kind), released]).toEqual([['busy'], ['a:1']]);
});
