import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LockHandle, ReadWriteLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { Latch } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';

/** What a caller may take that is granted at once, in ms; one that waits for itself never ends. */
const SOON = scaled(4000);

let stage: FaultStage;
let wire: TcpProxy;
let service: LockService;
let other: LockService;
let lock: ReadWriteLock;
let writing: LockHandle;

beforeEach(async () => {
  stage = FaultStage.shared();
  wire = await stage.proxy();
  [service, other] = await Promise.all([stage.open({}, wire), stage.open()]);
  lock = service.getReadWriteLock('x');
  writing = await lock.writeLock().lock();
  // Redis knows the scripts from here on, so that the next commands are the ones that count.
  await writing.run(async () => await (await lock.readLock().lock()).unlock());
});
afterEach(async () => {
  await stage.close();
});

/** Redis has the read hold that the handle believes in: after the write hold has ended no writer gets in beside it. */
async function expectTrue(reading: LockHandle): Promise<void> {
  expect(reading.isHeld).toBe(true);
  await writing.unlock();
  expect(await other.getReadWriteLock('x').writeLock().tryLock()).toBeNull();
  expect(await reading.unlock()).toBe('released');
}

/** Redis runs each script, and its answer is kept back. @returns lets all answers pass from now on */
function holdAnswers(): () => void {
  const slow = new Latch();
  wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
  return () => {
    wire.judge(() => 'pass');
    slow.open();
  };
}

async function untilFree(name: string): Promise<void> {
  await until('the lock is free', async () => (await stage.admin.exists(stage.key(name))) === 0);
}

describe('a scope that writes and requests to read', () => {
  test('gets it although a reply was lost', async () => {
    let isArmed = true;
    wire.judge(({ name }) => {
      if (!isArmed || !name.startsWith('EVAL')) return 'pass';
      isArmed = false;
      return { answered: () => 'cut' };
    });
    await expectTrue(await writing.run(() => lock.readLock().lock({ waitTime: SOON })));
  });

  test('gets it although another one of it, under way at the same time, gives up', async () => {
    await writing.run(async () => {
      const slow = new Latch();
      wire.judge(() => ({ before: slow.opened }));
      const abort = new AbortController();
      const staying = lock.readLock().lock({ waitTime: SOON });
      const leaving = lock.readLock().lock({ signal: abort.signal });
      abort.abort('gone');
      await expect(leaving).rejects.toBe('gone');
      slow.open();
      wire.judge(() => 'pass');
      await expectTrue(await staying);
    });
  });

  test('gets it while its last read ends, whatever is under way before that', async () => {
    await writing.run(async () => {
      const former = await lock.readLock().lock();
      const [, ended, reading] = await Promise.all([
        former.extend('40s'),
        former.unlock(),
        lock.readLock().lock({ waitTime: SOON }),
      ]);
      expect(ended).toBe('released');
      await expectTrue(reading);
    });
  });

  test('has it in Redis also when its last read ends in the same turn, and the scripts travel in another order', async () => {
    await writing.run(async () => {
      const former = await lock.readLock().lock();
      // Another lock's acquisition opens the batch of acquisitions before there is one of releases.
      const elsewhere = service.getReadWriteLock('y').readLock().lock();
      const [ended, reading, far] = await Promise.all([
        former.unlock(),
        lock.readLock().lock({ waitTime: SOON }),
        elsewhere,
      ]);
      expect(ended).toBe('released');
      await far.unlock();
      await expectTrue(reading);
    });
  });

  test('keeps it when an earlier attempt was given up while Redis was away', async () => {
    const reading = await writing.run(async () => {
      wire.refuse();
      await expect(lock.readLock().lock({ waitTime: 300 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const again = lock.readLock().lock({ waitTime: SOON });
      wire.restore();
      return await again;
    });
    await until('nothing is being freed', () => service.engine.context.backgroundRelease.size === 0);
    await expectTrue(reading);
  });

  test('keeps it when the release of an earlier one went on in the background', async () => {
    const reading = await writing.run(async () => {
      const former = await lock.readLock().lock();
      wire.refuse();
      await expect(former.unlock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const again = lock.readLock().lock({ waitTime: SOON });
      wire.restore();
      return await again;
    });
    await until('nothing is being freed', () => service.engine.context.backgroundRelease.size === 0);
    await expectTrue(reading);
  });

  test.each(['before it is sent', 'before it is answered', 'before it is given up'])(
    'keeps it when an earlier one was lost in the middle of an extension, %s',
    async (when) => {
      const reading = await writing.run(async () => {
        const former = await lock.readLock().lock({ leaseTime: 400 });
        let letGo = () => wire.restore();
        if (when === 'before it is sent') {
          wire.refuse();
          await until('the service knows', () => !service.engine.context.isConnected);
        } else letGo = holdAnswers();
        const extension = former.extend('10s');
        await until('it is lost', () => !former.isHeld);
        const again = lock.readLock().lock({ waitTime: SOON });
        if (when === 'before it is given up') await extension;
        letGo();
        expect(await extension).toBe(false);
        return await again;
      });
      await until('nothing is being freed', () => service.engine.context.backgroundRelease.size === 0);
      await expectTrue(reading);
    },
  );

  test('keeps it when the partial release of an earlier one got no answer, and that one has ended since', async () => {
    const { backgroundRelease, downgrades } = service.engine.context;
    const release = vi.spyOn(backgroundRelease, 'release');
    const isKnown: boolean[] = [];
    release.mockImplementation(async (pending) => {
      // Else the id may read again before the release is sent, depending on what else is sent in that turn.
      isKnown.push(downgrades.has(pending.holder));
      const { target, holder } = pending;
      await target.release(holder, 0, 1);
      return 'gone';
    });
    const reading = await writing.run(async () => {
      const former = await lock.readLock().lock();
      const inner = await former.run(() => lock.readLock().lock());
      const letGo = holdAnswers();
      await expect(inner.unlock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const ended = former.unlock().catch(() => 'later');
      const again = lock.readLock().lock({ waitTime: SOON });
      letGo();
      await ended;
      return await again;
    });
    await expectTrue(reading);
    expect(isKnown).not.toContain(false);
    expect(isKnown).not.toEqual([]);
  });

  test('leaves nothing when all that request it give up, the last one after its hold was lost', async () => {
    const former = await writing.run(() => lock.readLock().lock({ leaseTime: 360 }));
    wire.refuse();
    await until('the service knows', () => !service.engine.context.isConnected);
    const aborts = [new AbortController(), new AbortController()];
    const joined = await writing.run(() => {
      const join = (abort: AbortController | undefined) =>
        lock.readLock().lock({ waitTime: SOON, signal: abort?.signal }).catch(String);
      return [join(aborts[0]), until('it is lost', () => !former.isHeld).then(() => join(aborts[1]))];
    });
    await until('it is lost', () => !former.isHeld);
    await sleep(300);
    aborts[1]?.abort('second');
    await sleep(50);
    aborts[0]?.abort('first');
    expect(await Promise.all(joined)).toEqual(['first', 'second']);
    wire.restore();
    await writing.unlock();
    await stage.expectNothingLeft();
  });

  test('leaves nothing when it is aborted in the turn of its call', async () => {
    const elsewhere = await service.getReadWriteLock('y').readLock().lock();
    const abort = new AbortController();
    const ended = elsewhere.unlock();
    const leaving = writing.run(() => lock.readLock().lock({ signal: abort.signal }));
    abort.abort('gone');
    await expect(leaving).rejects.toBe('gone');
    await ended;
    expect(await writing.unlock()).toBe('released');
    await untilFree('x');
  });
});

test('a write hold that is over ends in Redis also while its scope goes on reading', async () => {
  await writing.unlock();
  const short = await lock.writeLock().lock({ leaseTime: 400 });
  const reading = await short.run(() => lock.readLock().lock());
  await until('the write hold is over', () => !short.isHeld);
  const beside = await other.getReadWriteLock('x').readLock().lock({ waitTime: SOON });
  expect(reading.isHeld).toBe(true);
  expect(await short.unlock()).toBe('lost');
  expect(await reading.unlock()).toBe('released');
  expect(await beside.unlock()).toBe('released');
});

test('a write hold that `maxHold` has ended keeps readers away until its lease is over, also while its scope reads', async () => {
  const bounded = await stage.open({ maxHold: 400 });
  const given = bounded.getReadWriteLock('w');
  const held = await given.writeLock().lock({ leaseTime: '20s' });
  const reading = await held.run(() => given.readLock().lock());
  await until('it is over', () => !held.isHeld);
  expect(await other.getReadWriteLock('w').readLock().tryLock()).toBeNull();
  expect(await reading.unlock()).toBe('lost');
  await other.getReadWriteLock('w').writeLock().forceUnlock();
});

describe('what Redis grants when the hold has ended here', () => {
  test('is taken back: a re-entry with a long lease does not shut the lock', async () => {
    const plain = service.getLock('z');
    const outer = await plain.lock({ leaseTime: 700 });
    const letGo = holdAnswers();
    const inner = outer.run(() => plain.lock({ leaseTime: '1h', waitTime: SOON }));
    await until('the outer hold is over', () => !outer.isHeld);
    letGo();
    const later = await inner;
    expect(await outer.unlock()).toBe('lost');
    expect(await later.unlock()).toBe('released');
    await untilFree('z');
  });

  test('is taken back: an extension of a hold that is over is none', async () => {
    const plain = service.getLock('z');
    const handle = await plain.lock({ leaseTime: 700 });
    await handle.extend(100);
    const letGo = holdAnswers();
    const extension = handle.extend('1h');
    await until('the hold is over', () => !handle.isHeld);
    letGo();
    expect(await extension).toBe(false);
    await untilFree('z');
  });

  test('is taken back: an extension that was given up before the hold was over', async () => {
    const plain = service.getLock('z');
    const handle = await plain.lock({ leaseTime: scaled(1500) });
    const letGo = holdAnswers();
    await expect(handle.extend('1h')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(handle.isHeld).toBe(true);
    letGo();
    await until('the hold is over', () => !handle.isHeld);
    await untilFree('z');
  });

  test('is taken back: an extension of an inner hold that is over, while the outer one goes on', async () => {
    const plain = service.getLock('z');
    const outer = await plain.lock({ leaseTime: scaled(4000) });
    const inner = await outer.run(() => plain.lock({ leaseTime: 400 }));
    const letGo = holdAnswers();
    const extension = inner.extend('1h');
    await until('the inner hold is over', () => !inner.isHeld);
    letGo();
    expect(await extension).toBe(false);
    expect(outer.isHeld).toBe(true);
    expect(await stage.admin.pttl(stage.key('z'))).toBeLessThanOrEqual(scaled(4000));
    expect(await outer.unlock()).toBe('released');
  });

  test('is taken back: an extension of an inner hold that was given up before that was over', async () => {
    const plain = service.getLock('z');
    const outer = await plain.lock({ leaseTime: scaled(6000) });
    const inner = await outer.run(() => plain.lock({ leaseTime: scaled(1500) }));
    const letGo = holdAnswers();
    await expect(inner.extend('1h')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    letGo();
    await until('the inner hold is over', () => !inner.isHeld);
    await until('the lease is the one of the outer hold', async () => {
      return (await stage.admin.pttl(stage.key('z'))) <= scaled(6000);
    });
    expect(await outer.unlock()).toBe('released');
  });

  test('is taken back: a re-entry under way when `maxHold` ends the hold', async () => {
    const bounded = await stage.open({ maxHold: 400 }, wire);
    const plain = bounded.getLock('z');
    const outer = await plain.lock({ leaseTime: '10s' });
    const letGo = holdAnswers();
    const inner = outer.run(() => plain.lock({ leaseTime: '1h', waitTime: SOON }));
    await until('the outer hold is over', () => !outer.isHeld);
    letGo();
    expect(await (await inner).unlock()).toBe('released');
    await untilFree('z');
  });

  test('is no extension where the lock was lost with an unlock behind it', async () => {
    const plain = service.getLock('z');
    const handle = await plain.lock({ leaseTime: 700 });
    const letGo = holdAnswers();
    const extension = handle.extend('1h');
    const unlocked = handle.unlock();
    await sleep(800);
    letGo();
    expect([await extension, await unlocked]).toEqual([false, 'lost']);
    await untilFree('z');
  });

  test('leaves the record of a run to the shutdown that ends it', async () => {
    const ending = await stage.open({ shutdownTimeout: 200, lockWatchdogTimeout: '3s' }, wire);
    const elsewhere = await ending.getLock('z').lock();
    const begun = new Latch();
    const run = ending.runOnce('a job', 60_000, async () => {
      const letGo = holdAnswers();
      await currentLock()
        ?.extend('40s')
        .catch(() => undefined);
      letGo();
      begun.open();
      await sleep(scaled(3000));
    });
    await begun.opened;
    expect(elsewhere.isHeld).toBe(true);
    await ending.shutDown();
    expect(await other.getRuns('a job')).toMatchObject([
      { outcome: 'failed', reason: 'the application was shutting down' },
    ]);
    await run;
  });

  test('stays where the hold was given up after `maxHold`: its work may go on', async () => {
    const bounded = await stage.open({ maxHold: 400 }, wire);
    const plain = bounded.getLock('z');
    const handle = await plain.lock({ leaseTime: '10s' });
    const letGo = holdAnswers();
    const extension = handle.extend('20s');
    await until('the hold is over', () => !handle.isHeld);
    letGo();
    expect(await extension).toBe(false);
    await until('nothing is under way', () => bounded.engine.context.backgroundRelease.size === 0);
    expect(await stage.admin.exists(stage.key('z'))).toBe(1);
    await stage.admin.del(stage.key('z'));
  });
});
