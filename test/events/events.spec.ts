import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { EventLedger } from './event.ledger.js';

let services: Services;
let locks: LockService;
let ledger: EventLedger;

beforeEach(async () => {
  services = new Services();
  locks = await services.open({ lockWatchdogTimeout: 400 });
  ledger = new EventLedger();
  locks.events.listen(ledger.listener);
});

afterEach(async () => {
  await services.close();
});

describe('a listener', () => {
  test('receives a critical section from its attempt to its release, with its holder, lock and duration', async () => {
    await locks.getLock('a').using(() => until('20 ms are over', after(20)));
    expect(ledger.names).toEqual(['attempt', 'acquired', 'released']);
    const [acquired] = ledger.of('acquired');
    expect(acquired).toMatchObject({ lock: 'a', kind: 'reentrant', isReentry: false, hasEnd: true });
    expect(acquired?.waited).toBeGreaterThanOrEqual(0);
    const [released] = ledger.of('released');
    expect(released).toMatchObject({ lock: 'a', holder: acquired?.holder, outcome: 'released' });
    expect(released?.held).toBeGreaterThanOrEqual(15);
    expect(released?.acquisition).toBe(acquired?.acquisition);
  });

  test('receives a re-entry as an acquisition of its own, which leaves the lock to the outer one', async () => {
    await locks.getLock('a').using(() => locks.getLock('a').using(() => undefined));
    expect(ledger.names).toEqual(['attempt', 'acquired', 'attempt', 'acquired', 'released', 'released']);
    expect(ledger.of('attempt').map(({ isReentry }) => isReentry)).toEqual([false, true]);
    expect(ledger.of('released').map(({ outcome }) => outcome)).toEqual(['kept', 'released']);
  });

  test('receives one event for each caller that waits, also for one that gets the lock by a hand-off in the process', async () => {
    const outer = await locks.getLock('a').lock();
    const others = [1, 2].map(() => locks.getLock('a').using(() => undefined));
    await until('both wait', () => ledger.of('waiting').length === 2);
    expect(ledger.of('waiting')[0]?.heldBy.holder).toBe(outer.holder);
    await outer.unlock();
    await Promise.all(others);
    expect(ledger.odd).toEqual([]);
    expect(ledger.of('waiting')).toHaveLength(2);
  });

  test.each(['getLock', 'getFairLock', 'getFencedLock'] as const)(
    'may abort the call that begins to wait: %s',
    async (kind) => {
      const outer = await locks[kind]('a').lock();
      const leaving = new AbortController();
      locks.events.listen({ waiting: () => leaving.abort(new Error('busy')) });
      await expect(locks[kind]('a').lock({ signal: leaving.signal })).rejects.toThrow('busy');
      expect(await outer.unlock()).toBe('released');
      if (kind === 'getFencedLock') await services.admin.del(`redisson_lock_token:{${services.prefix}a}`);
    },
  );

  test('receives that a caller waits for another process, and its refusal with the holder of the lock', async () => {
    const rival = await services.open();
    const theirs = await rival.getLock('a').lock();
    await expect(locks.getLock('a').lock({ waitTime: 60 })).rejects.toThrow('was not acquired');
    expect(await locks.getLock('a').tryLock()).toBeNull();
    expect(ledger.stories).toEqual(['attempt waiting refused', 'attempt refused']);
    const [waited, asked] = ledger.of('refused');
    expect(waited?.heldBy.holder).toBe(theirs.holder);
    expect(waited?.waited).toBeGreaterThanOrEqual(50);
    expect(asked?.heldBy.holder).toBe(theirs.holder);
    await theirs.unlock();
  });

  test('receives a call that is aborted, or can never succeed, as failed, with its error', async () => {
    const reason = new Error('no longer wanted');
    await expect(locks.getLock('a').lock({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(
      locks.getNonReentrantLock('b').using(() => locks.getNonReentrantLock('b').lock()),
    ).rejects.toThrow('acquires that lock again');
    const errors = ledger.of('failed').map(({ error }) => error);
    expect(errors[0]).toBe(reason);
    expect(errors[1]).toMatchObject({ code: 'NOT_REENTRANT' });
    expect(ledger.odd).toEqual([]);
  });

  test('receives renewals while a lease lives, and its loss once, whatever its holder does afterwards', async () => {
    const handle = await locks.getLock('a').lock();
    await until('it is renewed', () => ledger.of('renewed').length > 0);
    expect(ledger.of('renewed')[0]).toEqual({ lock: 'a', kind: 'reentrant', holder: handle.holder });
    await services.admin.del(`${services.prefix}a`);
    await until('it is lost', () => ledger.of('lost').length > 0);
    expect(await handle.unlock()).toBe('lost');
    expect(ledger.stories).toEqual(['attempt acquired lost']);
    expect(ledger.of('lost')[0]).toMatchObject({ lock: 'a', holder: handle.holder });
    expect(ledger.of('lost')[0]?.why).toContain('Redis no longer knows this holder');
  });

  test('receives a loss that only the unlock finds', async () => {
    const handle = await locks.getLock('a').lock({ leaseTime: '10s' });
    await services.admin.del(`${services.prefix}a`);
    expect(await handle.unlock()).toBe('lost');
    expect(ledger.stories).toEqual(['attempt acquired lost']);
  });

  test('receives a multi lock as one lock, and its loss when one of its members is lost', async () => {
    const handle = await locks.getMultiLock('b', 'a').lock();
    await locks.getLock('a').forceUnlock();
    expect(ledger.names.filter((name) => name !== 'renewed')).toEqual(['attempt', 'acquired', 'lost']);
    expect(ledger.of('lost')[0]).toMatchObject({ lock: 'a, b', kind: 'multi' });
    expect(await handle.unlock()).toBe('lost');
    expect(ledger.odd).toEqual([]);
  });

  test('receives a lock that a shutdown takes from running work as a loss', async () => {
    const hasty = await services.open({ shutdownTimeout: 0 });
    hasty.events.listen(ledger.listener);
    const plain = await hasty.getLock('a').lock();
    const group = await hasty.getMultiLock('b', 'c').lock();
    expect([plain.signal.aborted, group.signal.aborted]).toEqual([false, false]);
    await hasty.shutDown();
    expect(ledger.stories).toEqual(['attempt acquired lost', 'attempt acquired lost']);
    expect(ledger.of('lost').map(({ lock }) => lock)).toEqual(['a', 'b, c']);
  });

  test('receives for a run that a shutdown does not wait for the outcome of its record', async () => {
    const hasty = await services.open({ shutdownTimeout: 0 });
    hasty.events.listen(ledger.listener);
    let end = () => undefined as void;
    const run = hasty.runOnce('job', 1, () => new Promise<void>((resolve) => (end = resolve)));
    await until('it runs', () => ledger.of('tickClaimed').length === 1);
    await hasty.shutDown();
    end();
    await run;
    expect(await locks.getRuns('job')).toMatchObject([{ outcome: 'failed' }]);
    expect(ledger.of('tickFinished').map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test('receives of permits without a holder only that they were taken, and of a section that it ends', async () => {
    const semaphore = locks.getSemaphore('s');
    await semaphore.trySetPermits(1);
    await semaphore.using(() => undefined);
    await semaphore.acquire();
    expect(await semaphore.tryAcquire()).toBe(false);
    expect(ledger.stories).toEqual([
      'attempt acquired released',
      'attempt acquired for good',
      'attempt refused',
    ]);
    expect(ledger.of('attempt').every(({ kind }) => kind === 'semaphore')).toBe(true);
    await semaphore.delete();
  });

  test('receives that permits were lost whose semaphore is gone when its work ends', async () => {
    const semaphore = locks.getSemaphore('s');
    await semaphore.trySetPermits(1);
    await semaphore.using(() => semaphore.delete());
    expect(ledger.stories).toEqual(['attempt acquired lost']);
    expect(ledger.of('lost')).toMatchObject([
      { lock: 's', kind: 'semaphore', why: expect.stringContaining('its semaphore was deleted') },
    ]);
  });

  test('receives the ticks that run here, and those that run elsewhere', async () => {
    await locks.runOnce('job', 1000, () => 'done');
    await locks.runOnce('job', 1000, () => 'again');
    await expect(locks.runOnce('job', 2000, () => Promise.reject(new Error('bad')))).rejects.toThrow('bad');
    expect(ledger.names).toEqual([
      'tickClaimed',
      'tickFinished',
      'tickSkipped',
      'tickClaimed',
      'tickFinished',
    ]);
    expect(ledger.of('tickClaimed')[0]).toMatchObject({ job: 'job', tick: 1000, attempt: 1 });
    expect(ledger.of('tickSkipped')[0]).toEqual({ job: 'job', tick: 1000, why: 'taken' });
    expect(ledger.of('tickFinished').map(({ outcome }) => outcome)).toEqual(['completed', 'failed']);
  });

  test('receives a tick that Redis refuses, with the error of the call', async () => {
    const record = `{${services.prefix}refused}:tick`;
    await services.admin.set(record, 'mine');
    const failed = await locks.runOnce('refused', 1000, () => 'done').catch((error: unknown) => error);
    expect(ledger.all).toEqual([
      { name: 'tickUnclaimed', event: { job: 'refused', tick: 1000, error: failed } },
    ]);
    expect(failed).toMatchObject({ code: 'WRONG_TYPE' });
    await services.admin.del(record);
  });

  test('receives nothing after it has stopped listening, and nothing of acquisitions that began without a listener', async () => {
    const quiet = await services.open();
    const handle = await quiet.getLock('a').lock();
    const late = new EventLedger();
    const unlisten = quiet.events.listen(late.listener);
    await handle.unlock();
    expect(late.all).toEqual([]);
    quiet.events.listen(ledger.listener);
    unlisten();
    unlisten();
    await quiet.getLock('a').using(() => undefined);
    expect(late.all).toEqual([]);
    expect(ledger.stories).toEqual(['attempt acquired released']);
  });

  test('that throws or rejects is logged, and changes nothing for the lock and for other listeners', async () => {
    const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const attempt = vi.fn<() => void>();
    locks.events.listen({
      attempt: () => {
        throw new Error('a broken listener');
      },
      acquired: () => Promise.reject(new Error('a broken promise')),
    });
    locks.events.listen({ attempt });
    expect(await locks.getLock('a').using(() => 'done')).toBe('done');
    expect(attempt).toHaveBeenCalledOnce();
    expect(ledger.odd).toEqual([]);
    await until('it is in the log', () => errors.mock.calls.length > 0);
    expect(errors).toHaveBeenCalledWith('A listener of "attempt" events failed: a broken listener.');
  });
});

/** Whether so many ms are over since it was made. */
function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}
