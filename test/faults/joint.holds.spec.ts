import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockHandle, ReadWriteLock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
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
      const slow = new Latch();
      const reading = await writing.run(async () => {
        const former = await lock.readLock().lock({ leaseTime: 400 });
        if (when === 'before it is sent') {
          wire.refuse();
          await until('the service knows', () => !service.engine.context.isConnected);
        } else wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
        const extension = former.extend('10s');
        await until('it is lost', () => !former.isHeld);
        const again = lock.readLock().lock({ waitTime: SOON });
        if (when === 'before it is given up') await extension;
        wire.judge(() => 'pass');
        slow.open();
        wire.restore();
        expect(await extension).toBe(false);
        return await again;
      });
      await until('nothing is being freed', () => service.engine.context.backgroundRelease.size === 0);
      await expectTrue(reading);
    },
  );

  test('leaves nothing when it is aborted in the turn of its call', async () => {
    const elsewhere = await service.getReadWriteLock('y').readLock().lock();
    const abort = new AbortController();
    const ended = elsewhere.unlock();
    const leaving = writing.run(() => lock.readLock().lock({ signal: abort.signal }));
    abort.abort('gone');
    await expect(leaving).rejects.toBe('gone');
    await ended;
    expect(await writing.unlock()).toBe('released');
    await until('the lock is free', async () => (await stage.admin.exists(stage.key('x'))) === 0);
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

describe('what Redis grants when the hold has ended here', () => {
  test('is taken back: a re-entry with a long lease does not shut the lock', async () => {
    const plain = service.getLock('z');
    const outer = await plain.lock({ leaseTime: 700 });
    const slow = new Latch();
    wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
    const inner = outer.run(() => plain.lock({ leaseTime: '1h', waitTime: SOON }));
    await until('the outer hold is over', () => !outer.isHeld);
    slow.open();
    wire.judge(() => 'pass');
    const later = await inner;
    expect(await outer.unlock()).toBe('lost');
    expect(await later.unlock()).toBe('released');
    await until('the lock is free', async () => (await stage.admin.exists(stage.key('z'))) === 0);
  });

  test('is taken back: an extension of a hold that is over is none', async () => {
    const plain = service.getLock('z');
    const handle = await plain.lock({ leaseTime: 700 });
    await handle.extend(100);
    const slow = new Latch();
    wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
    const extension = handle.extend('1h');
    await until('the hold is over', () => !handle.isHeld);
    slow.open();
    wire.judge(() => 'pass');
    expect(await extension).toBe(false);
    await until('the lock is free', async () => (await stage.admin.exists(stage.key('z'))) === 0);
  });

  test('is taken back: an extension that was given up before the hold was over', async () => {
    const plain = service.getLock('z');
    const handle = await plain.lock({ leaseTime: scaled(1500) });
    const slow = new Latch();
    wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
    await expect(handle.extend('1h')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(handle.isHeld).toBe(true);
    slow.open();
    wire.judge(() => 'pass');
    await until('the hold is over', () => !handle.isHeld);
    await until('the lock is free', async () => (await stage.admin.exists(stage.key('z'))) === 0);
  });

  test('is taken back: an extension of an inner hold that is over, while the outer one goes on', async () => {
    const plain = service.getLock('z');
    const outer = await plain.lock({ leaseTime: scaled(4000) });
    const inner = await outer.run(() => plain.lock({ leaseTime: 400 }));
    const slow = new Latch();
    wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
    const extension = inner.extend('1h');
    await until('the inner hold is over', () => !inner.isHeld);
    slow.open();
    wire.judge(() => 'pass');
    expect(await extension).toBe(false);
    expect(outer.isHeld).toBe(true);
    expect(await stage.admin.pttl(stage.key('z'))).toBeLessThanOrEqual(scaled(4000));
    expect(await outer.unlock()).toBe('released');
  });

  test('stays where the hold was given up after `maxHold`: its work may go on', async () => {
    const bounded = await stage.open({ maxHold: 400 }, wire);
    const plain = bounded.getLock('z');
    const handle = await plain.lock({ leaseTime: '10s' });
    const slow = new Latch();
    wire.judge(({ name }) => (name.startsWith('EVAL') ? { answered: () => slow.opened } : 'pass'));
    const extension = handle.extend('20s');
    await until('the hold is over', () => !handle.isHeld);
    slow.open();
    wire.judge(() => 'pass');
    expect(await extension).toBe(false);
    await until('nothing is under way', () => bounded.engine.context.backgroundRelease.size === 0);
    expect(await stage.admin.exists(stage.key('z'))).toBe(1);
    await stage.admin.del(stage.key('z'));
  });
});
