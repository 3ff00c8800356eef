import assert from 'node:assert/strict';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { LockService, type LockHandle, type LockOptions } from 'nestjs-distributed-lock';
import { CONTEXT, until, type MatrixStage } from './matrix.stage.js';

/** What single locks and groups of them have in common. */
interface Lockable {
  lock(options?: LockOptions): Promise<LockHandle>;
  tryLock(options?: LockOptions): Promise<LockHandle | null>;
}

const KINDS: Record<string, (locks: LockService) => Lockable> = {
  reentrant: (locks) => locks.getLock('reentrant'),
  fair: (locks) => locks.getFairLock('fair'),
  fenced: (locks) => locks.getFencedLock('fenced'),
  spin: (locks) => locks.getSpinLock('spin'),
  write: (locks) => locks.getReadWriteLock('document').writeLock(),
  multi: (locks) => locks.getMultiLock('a', 'b'),
};

/** Every kind of lock between two instances: one is refused, waits, is woken, and nothing stays in Redis. */
export async function checkKinds(stage: MatrixStage): Promise<string> {
  const client = new Redis(stage.redis);
  stage.closes({ close: () => client.quit() });
  @Module({ imports: [stage.locks(client)] })
  class AppModule {}
  const start = async () => {
    const context = await NestFactory.createApplicationContext(AppModule, CONTEXT);
    return stage.closes(context).get(LockService);
  };
  const [one, other] = [await start(), await start()];
  for (const [kind, get] of Object.entries(KINDS)) {
    const held = await get(one).lock();
    assert.equal(await get(other).tryLock(), null, `${kind}: granted twice`);
    const waiting = get(other).lock({ waitTime: '20s' });
    assert.equal(await held.unlock(), 'released', kind);
    const next = await waiting;
    assert.ok(next.isHeld, kind);
    await next.unlock();
  }
  const semaphore = one.getSemaphore('permits');
  await semaphore.trySetPermits(1);
  await semaphore.acquire();
  assert.equal(await other.getSemaphore('permits').tryAcquire(), false);
  const acquired = other.getSemaphore('permits').acquire();
  await semaphore.release();
  await acquired;
  const latch = one.getCountDownLatch('latch');
  await latch.trySetCount(1);
  const waits = other.getCountDownLatch('latch').await();
  await latch.countDown();
  await waits;
  await semaphore.delete();
  // A fenced lock's counter stays, for its tokens shall rise for ever; the instances are listed while they run.
  const left = async () =>
    (await client.keys(`*${stage.prefix}*`)).filter(
      (key) => !/^redisson_lock_token:|:instance(?::|_list$)/.test(key),
    );
  // A process that has just waited stays in the queue of a lock for a moment.
  await until('nothing is left', async () => (await left()).length === 0).catch(async (error: unknown) => {
    const kept = await Promise.all((await left()).map(async (key) => `${key} ${await client.pttl(key)} ms`));
    throw new Error(`left behind: ${kept.join(', ')}`, { cause: error });
  });
  return `${Object.keys(KINDS).join(', ')}, a semaphore, a latch: refused, woken, nothing left`;
}
