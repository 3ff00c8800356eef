import { describe, expect, test } from 'vitest';
import type { FencedLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { scaled } from '../support/slowness.js';
import { settled } from '../waiting/queue.stage.js';
import { KindStage } from './kind.stage.js';

const options = { timeout: scaled(20_000) };
const name = 'x';

/** Whether each is above the one before. */
const isRising = (tokens: readonly bigint[]) =>
  tokens.every((token, at) => at === 0 || token > (tokens[at - 1] ?? 0n));

function play(
  act: (one: FencedLock, other: FencedLock, stage: KindStage) => Promise<void>,
): () => Promise<void> {
  return () =>
    KindStage.play('shared', async (stage) => {
      const [one, other] = [await stage.faults.open(), await stage.faults.open()];
      await act(one.getFencedLock(name), other.getFencedLock(name), stage);
    });
}

describe.concurrent('the token', () => {
  test(
    'rises with every grant, also of alternating services, and with every re-entry',
    options,
    play(async (one, other) => {
      const tokens: bigint[] = [];
      for (let turn = 0; turn < 10; turn += 1) {
        const lock = turn % 2 === 0 ? one : other;
        await lock.using(async (outer) => {
          tokens.push(outer.token);
          await lock.using(async (inner) => {
            tokens.push(inner.token);
            // The newest one of the hold is what a guarded write has to show, whichever handle it is asked of.
            expect(outer.token).toBe(inner.token);
            expect(await other.getToken()).toBe(inner.token);
          });
        });
      }
      expect(tokens).toHaveLength(20);
      expect(isRising(tokens)).toBe(true);
      expect(await one.getToken()).toBe(tokens.at(-1));
    }),
  );

  test(
    'rises as the lock is handed from waiter to waiter of one service, whatever leases they want',
    options,
    play(async (one, other) => {
      const tokens: bigint[] = [];
      const held = await other.lock();
      const waiters = Array.from({ length: 60 }, (_, index) =>
        one.using(({ token }) => tokens.push(token), { leaseTime: index % 3 === 0 ? '20s' : undefined }),
      );
      await held.unlock();
      await Promise.all(waiters);
      expect(tokens).toHaveLength(60);
      expect(isRising([held.token, ...tokens])).toBe(true);
    }),
  );

  test(
    'rises by the clock when its key was lost, and above one that a fast clock left behind',
    options,
    play(async (one, other, stage) => {
      const { admin } = stage.faults;
      const key = stage.beside('redisson_lock_token', name);
      expect(await one.getToken()).toBeUndefined();
      const before = await one.using(({ token }) => token);
      expect(await admin.del(key)).toBe(1);
      expect(await other.getToken()).toBeUndefined();
      const after = await other.using(({ token }) => token);
      expect(after).toBeGreaterThan(before);
      const far = after + 10n ** 15n;
      await admin.set(key, `${far}`);
      expect(await one.using(({ token }) => token)).toBe(far + 1n);
      expect(await admin.ttl(key)).toBe(-1);
    }),
  );

  test(
    'is neither given nor raised where the lock is refused, released, renewed or freed by force',
    options,
    play(async (one, other) => {
      const held = await one.lock();
      const { token } = held;
      expect(await other.tryLock()).toBeNull();
      expect(await other.tryLock({ waitTime: 60 })).toBeNull();
      expect(await held.extend('1m')).toBe(true);
      expect(await other.forceUnlock()).toBe(true);
      expect(await held.unlock()).toBe('lost');
      expect(await one.getToken()).toBe(token);
      expect([held.token, held.toJSON().token]).toEqual([token, token.toString()]);
    }),
  );
});

test(
  'two processes that contend for five seconds are given rising tokens in the order of their grants',
  options,
  () =>
    KindStage.play('shared', async (stage) => {
      const workers = await Promise.all([stage.fork(), stage.fork()]);
      for (const [id, worker] of workers.entries())
        worker.stream({ id, kind: 'fenced', name, callers: 4, holdFor: 0, ms: 5000 });
      const streamed = await Promise.all(workers.map((worker, id) => worker.told('streamed', id)));
      const shares = streamed.map(({ sections }) => sections.length);
      const inOrder = streamed
        .flatMap(({ sections }) => sections)
        .toSorted((one, other) => one.begin - other.begin);
      const overlaps = inOrder.filter(({ begin }, at) => begin < (inOrder[at - 1]?.end ?? 0));
      console.log(`${shares.join(' + ')} grants in 5 s, ${overlaps.length} overlaps`);
      expect(Math.min(...shares)).toBeGreaterThan(50);
      expect(overlaps).toEqual([]);
      expect(isRising(inOrder.map(({ token = '' }) => BigInt(token)))).toBe(true);
      // A process that has just used the queue stays in it for a moment.
      await settled(stage);
    }),
);
