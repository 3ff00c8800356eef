import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Lockable, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { endOf } from '../locks/lateness.js';
import { holdReply } from '../support/faults/ambush.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

const options = { timeout: scaled(20_000) };

function play(
  act: (one: LockService, other: LockService, stage: KindStage) => Promise<void>,
  where: 'shared' | 'own' = 'shared',
): () => Promise<void> {
  return () =>
    KindStage.play(where, async (stage) => act(await stage.faults.open(), await stage.faults.open(), stage));
}

/** Which of the locks nobody has. */
async function free(service: LockService, ...names: readonly string[]): Promise<string[]> {
  const locked = await Promise.all(names.map((name) => service.getLock(name).isLocked()));
  return names.filter((_, index) => locked[index] === false);
}

async function refusal(asking: Promise<unknown>): Promise<unknown> {
  return await asking.then(
    () => 'granted',
    (error: unknown) => error,
  );
}

describe.concurrent('a multi lock', () => {
  test(
    'is taken in one round trip, and given back in one, when all of it is free',
    options,
    play(async (one, other, stage) => {
      const names = ['c', 'a', 'f', 'b', 'e', 'd'];
      await one.getMultiLock(...names).using(() => undefined);
      const calls = async () => (await stage.sent()).get('evalsha') ?? 0;
      const before = await calls();
      const handle = await one.getMultiLock(...names).lock();
      const taken = await calls();
      expect(handle.name).toBe('a, b, c, d, e, f');
      expect(await handle.unlock()).toBe('released');
      console.log(
        `six locks: ${taken - before} round trip to take them, ${(await calls()) - taken} to give them back`,
      );
      expect([taken - before, (await calls()) - taken]).toEqual([1, 1]);
      expect(await free(other, ...names)).toEqual(names);
    }, 'own'),
  );

  test(
    'with a fixed lease keeps its members and its turn while another member is busy for longer than the lease',
    options,
    play(async (one, other) => {
      const leaseTime = scaled(600);
      const held = await other.getLock('b').lock();
      const asking = one.getMultiLock('a', 'b').lock({ waitTime: scaled(15_000), leaseTime });
      await until('it has the first one', async () => await other.getLock('a').isLocked());
      const from = performance.now();
      while (performance.now() < from + 3 * leaseTime) {
        expect(await other.getLock('a').isLocked()).toBe(true);
        await sleep(20);
      }
      // One that has begun to wait later comes later.
      const later = one.getLock('b').lock();
      await held.unlock();
      const handle = await asking;
      expect(handle.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('released');
      expect(await (await later).unlock()).toBe('released');
      expect(await free(other, 'a', 'b')).toEqual(['a', 'b']);
    }),
  );

  test(
    'with a fixed lease gives all back where one member is lost in the wait, and begins anew',
    options,
    play(async (one, other) => {
      const held = await other.getLock('b').lock();
      const asking = one.getMultiLock('a', 'b').lock({ waitTime: '10s', leaseTime: 600 });
      await until('it has the first one', async () => await other.getLock('a').isLocked());
      await other.getLock('a').forceUnlock();
      const taken = await other.getLock('a').lock({ waitTime: '5s' });
      // A forced unlock is noticed when the leases are extended next.
      await until('it waits for the first one again', async () => {
        return (await other.fleet.lock('a'))?.waiting === 1;
      });
      await held.unlock();
      await taken.unlock();
      expect(await (await asking).unlock()).toBe('released');
      expect(await free(other, 'a', 'b')).toEqual(['a', 'b']);
    }),
  );

  test(
    'with a fixed lease stops to wait when its caller gives up',
    options,
    play(async (one, other) => {
      const held = await other.getLock('b').lock();
      const giveUp = new AbortController();
      const asking = one.getMultiLock('a', 'b').lock({ leaseTime: 600, signal: giveUp.signal });
      await until('it has the first one', async () => await other.getLock('a').isLocked());
      giveUp.abort(new Error('given up'));
      await expect(asking).rejects.toThrow('given up');
      await until('the first one is free', async () => !(await other.getLock('a').isLocked()));
      await held.unlock();
    }),
  );

  test(
    'that is refused has given back exactly what it got',
    options,
    play(async (one, other) => {
      const held = await other.getLock('b').lock();
      expect(await one.getMultiLock('c', 'b', 'a').tryLock()).toBeNull();
      expect(await free(other, 'a', 'b', 'c')).toEqual(['a', 'c']);
      await one.getLock('a').using(async () => {
        const error = await refusal(one.getMultiLock('a', 'b', 'c').lock({ waitTime: 60 }));
        expect(error).toMatchObject({
          code: 'NOT_ACQUIRED',
          lock: 'a, b, c',
          heldBy: { holder: held.holder },
        });
        // What the scope had before is its own.
        expect(await one.getLock('a').getHoldCount()).toBe(1);
      });
      expect(await held.unlock()).toBe('released');
      expect(await free(other, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    }),
  );

  test(
    'with a member that cannot be locked fails, and gives back exactly what it got',
    options,
    play(async (one, other, stage) => {
      const { admin } = stage.faults;
      await admin.set(stage.faults.key('b'), 'something else');
      for (const waitTime of [0, '10s'] as const)
        expect(await refusal(one.getMultiLock('a', 'b', 'c').lock({ waitTime }))).toMatchObject({
          name: 'LockUnavailableError',
          code: 'WRONG_TYPE',
          lock: 'b',
        });
      expect(await free(other, 'a', 'c')).toEqual(['a', 'c']);
      await one
        .getReadWriteLock('rw')
        .readLock()
        .using(async () => {
          const both = one.getMultiLock('a', one.getReadWriteLock('rw').writeLock(), 'z');
          expect(await refusal(both.tryLock())).toMatchObject({ code: 'UPGRADE', lock: 'rw' });
        });
      expect(await free(other, 'a', 'z')).toEqual(['a', 'z']);
      await admin.del(stage.faults.key('b'));
    }),
  );

  test(
    'whose wait is ended by its signal gives back exactly what it got',
    options,
    play(async (one, other) => {
      const held = await other.getLock('b').lock();
      const abort = new AbortController();
      const waiting = refusal(one.getMultiLock('a', 'b', 'c').lock({ signal: abort.signal }));
      // Nobody who waits holds more than what comes before the lock that is waited for.
      await until('it waits with the first', async () => (await free(other, 'a', 'c')).join() === 'c');
      abort.abort('enough');
      expect(await waiting).toBe('enough');
      await until('the first is free', async () => (await free(other, 'a', 'c')).join() === 'a,c');
      expect(held.isHeld).toBe(true);
      await held.unlock();
    }),
  );

  test(
    'waits no longer than it may, for all of its members together',
    options,
    play(async (one, other) => {
      const [first, second] = [await other.getLock('a').lock(), await other.getLock('b').lock()];
      for (const waitTime of [100, 500]) {
        const all = one.getMultiLock('a', 'b', 'c');
        const tried = await endOf(waitTime, () => all.tryLock({ waitTime }));
        expect(tried.end).toBeNull();
        expect(tried.late).toBeLessThan(scaled(100));
        const insisted = await endOf(waitTime, () => all.lock({ waitTime, leaseTime: 150 }));
        expect(insisted.end).toMatchObject({ code: 'NOT_ACQUIRED' });
        expect(insisted.late).toBeLessThan(scaled(100));
      }
      const waiting = endOf(600, () => one.getMultiLock('a', 'b').tryLock({ waitTime: 600 }));
      await first.unlock();
      expect((await waiting).end).toBeNull();
      expect((await waiting).late).toBeLessThan(scaled(100));
      await second.unlock();
    }),
  );

  test(
    'is refused, and not unavailable, when the rest of its time is shorter than a round trip',
    options,
    play(async (_one, other, stage) => {
      const wire = await stage.faults.proxy();
      const slow = await stage.faults.open({}, wire);
      await slow.getMultiLock('b', 'c').using(() => undefined);
      const held = await other.getMultiLock('b', 'c').lock();
      wire.judge(() => ({ before: sleep(80) }));
      for (const lock of [slow.getLock('b'), slow.getMultiLock('b', 'c')])
        expect(await lock.tryLock({ waitTime: 130 })).toBeNull();
      wire.judge(() => 'pass');
      await held.unlock();
    }),
  );

  test(
    'with a fixed lease that had to wait has its whole lease on every member',
    options,
    play(async (one, other, stage) => {
      const LEASE = 3000;
      const held = await other.getLock('b').lock({ leaseTime: 900 });
      const last = await other.getLock('d').lock({ leaseTime: 1800 });
      const start = performance.now();
      const handle = await one.getMultiLock('a', 'b', 'c', 'd').lock({ leaseTime: LEASE });
      const left = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => stage.faults.admin.pttl(stage.faults.key(name))),
      );
      console.log(
        `a lease of ${LEASE} ms: after ${(performance.now() - start).toFixed(0)} ms of waiting ${left.join(', ')} ms are left`,
      );
      expect(Math.min(...left)).toBeGreaterThan(LEASE * 0.9 - scaled(150));
      expect(handle.isHeld).toBe(true);
      expect([await held.unlock(), await last.unlock()]).toEqual(['lost', 'lost']);
      expect(await handle.unlock()).toBe('released');
    }),
  );
});

describe.concurrent('a call for a multi lock', () => {
  test(
    'that is aborted while it gives members back keeps none of them',
    options,
    play(async (_one, other, stage) => {
      const wire = await stage.faults.proxy();
      const slow = await stage.faults.open({}, wire);
      // From then on it knows the scripts.
      await slow.getMultiLock('a', 'b', 'c').using(() => undefined);
      const held = await other.getLock('b').lock();
      const leaving = new AbortController();
      const release = holdReply(wire, 'release');
      const asking = slow.getMultiLock('a', 'b', 'c').lock({ leaseTime: '30s', signal: leaving.signal });
      const refused = refusal(asking);
      await release.caught;
      leaving.abort(new Error('left'));
      release.letGo();
      expect(await refused).toMatchObject({ message: 'left' });
      await until('they are free', async () => (await free(other, 'a', 'c')).length === 2);
      await held.unlock();
    }),
  );

  test(
    'is not refused as if another had it, where only Redis was slow',
    options,
    play(async (_one, _other, stage) => {
      const wire = await stage.faults.proxy();
      const slow = await stage.faults.open({}, wire);
      await slow.getMultiLock('a', 'b').using(() => undefined);
      const leaseTime = scaled(1000);
      const grant = holdReply(wire, 'acquire');
      const asking = refusal(slow.getMultiLock('a', 'b').tryLock({ leaseTime }));
      await grant.caught;
      await sleep(leaseTime * 0.2);
      const renewal = holdReply(wire, 'renew');
      grant.letGo();
      await renewal.caught;
      await sleep(leaseTime * 1.1);
      renewal.letGo();
      expect(await asking).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE' });
    }),
  );

  test(
    'begins to count warnAfter and maxHold when it has all members',
    options,
    play(async (_one, other, stage) => {
      const maxHold = scaled(600);
      const one = await stage.faults.open({ maxHold, warnAfter: maxHold / 2 });
      const notices = stage.faults.notices(one);
      const held = await other.getLock('b').lock();
      const asking = one.getMultiLock('a', 'b').lock();
      await until('it has the first one', async () => await other.getLock('a').isLocked());
      await sleep(maxHold * 1.5);
      await held.unlock();
      const handle = await asking;
      const { signal } = handle;
      expect(notices.filter(({ kind }) => kind === 'long-hold' || kind === 'overheld')).toEqual([]);
      await until('it has lasted too long', () => signal.aborted);
      expect(notices.filter(({ kind }) => kind === 'overheld').length).toBeGreaterThan(0);
      expect(signal.reason).toMatchObject({ code: 'MAX_HOLD' });
      await handle.unlock();
      await other.getLock('a').forceUnlock();
      await other.getLock('b').forceUnlock();
    }),
  );
});

describe.concurrent('members of a multi lock', () => {
  test(
    'may be of different kinds, and are held as what they are',
    options,
    play(async (one, other) => {
      const all = one.getMultiLock(one.getFairLock('fair'), one.getReadWriteLock('rw').readLock(), 'plain');
      const reading = await other.getReadWriteLock('rw').readLock().lock();
      const held = await other.getFairLock('fair').lock();
      const waiting = all.lock();
      const fair = one.getFairLock('fair');
      await until('it stands in the queue', async () => one.engine.localLocks.size > 0);
      await held.unlock();
      const handle = await waiting;
      await handle.run(async () => {
        expect(all.isHeld()).toBe(true);
        expect([await fair.getHoldCount(), await one.getLock('plain').getHoldCount()]).toEqual([1, 1]);
      });
      expect(await other.getFairLock('fair').tryLock()).toBeNull();
      expect(await other.getReadWriteLock('rw').writeLock().tryLock()).toBeNull();
      expect(await reading.unlock()).toBe('released');
      expect(await (await other.getReadWriteLock('rw').readLock().tryLock())?.unlock()).toBe('released');
      expect(await handle.unlock()).toBe('released');
      expect(await (await other.getReadWriteLock('rw').writeLock().tryLock())?.unlock()).toBe('released');
    }),
  );

  test(
    'are re-entered by themselves, together and in other company',
    options,
    play(async (one, other) => {
      const [a, b] = [one.getLock('a'), one.getLock('b')];
      await one.getMultiLock('b', 'a', 'b', a).using(async () => {
        expect([await a.getHoldCount(), await b.getHoldCount()]).toEqual([1, 1]);
        const inner = await one.getMultiLock('a', 'b').lock();
        expect([await a.getHoldCount(), await b.getHoldCount()]).toEqual([2, 2]);
        expect(await inner.unlock()).toBe('kept');
        const company = await one.getMultiLock('b', 'c').tryLock();
        expect(await company?.unlock()).toBe('kept');
        expect(await a.using(() => a.getHoldCount())).toBe(2);
        expect([await a.getHoldCount(), await b.getHoldCount()]).toEqual([1, 1]);
        expect(await other.getMultiLock('x', 'b').tryLock()).toBeNull();
      });
      expect(await free(other, 'a', 'b', 'c', 'x')).toEqual(['a', 'b', 'c', 'x']);
    }),
  );

  test(
    'are refused where they cannot be one lock',
    options,
    play(async (one, other) => {
      const { readLock, writeLock } = one.getReadWriteLock('rw');
      const invalid = [
        () => one.getMultiLock(),
        () => one.getMultiLock('a', readLock(), writeLock()),
        () => one.getMultiLock('a', other.getLock('b')),
      ];
      for (const ask of invalid)
        expect(ask).toThrow(
          expect.objectContaining({ name: 'LockConfigurationError', code: 'INVALID_OPTION' }),
        );
      expect(() => one.getMultiLock('a', '')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    }),
  );
});

describe.concurrent('the loss of one member', () => {
  const lose = async (by: LockService, handle: LockHandle): Promise<void> => {
    expect(handle.isHeld).toBe(true);
    expect(await by.getLock('b').forceUnlock()).toBe(true);
  };

  test(
    'aborts the signal of the whole, which then frees the others',
    options,
    play(async (one, other) => {
      const all: Lockable = one.getMultiLock('a', 'b', 'c');
      const handle = await all.lock();
      const { signal } = handle;
      await lose(one, handle);
      expect([handle.isHeld, signal.aborted]).toEqual([false, true]);
      expect(signal.reason).toMatchObject({ name: 'LockLostError', code: 'LOST', lock: 'a, b, c' });
      expect(() => handle.assertHeld()).toThrow(expect.objectContaining({ code: 'LOST' }));
      expect(await handle.extend('1m')).toBe(false);
      expect(await free(other, 'a', 'b', 'c')).toEqual(['b']);
      expect(await handle.unlock()).toBe('lost');
      expect(await handle.unlock()).toBe('lost');
      expect(await free(other, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    }),
  );

  test(
    'is reported by the unlock also when it had not been noticed',
    options,
    play(async (one, other) => {
      const handle = await one.getMultiLock('a', 'b', 'c').lock();
      await lose(other, handle);
      expect(await handle.unlock()).toBe('lost');
      const again = one
        .getMultiLock('a', 'b', 'c')
        .using((within) => lose(other, within), { onLost: 'throw' });
      expect(await refusal(again)).toMatchObject({ name: 'LockLostError', lock: 'a, b, c' });
      expect(await free(other, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    }),
  );
});
