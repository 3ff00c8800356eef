import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SCRIPT_TEXTS } from '../support/all.scripts.js';
import { prefixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** In ms. */
const LEASE = scaled(3000);
const TIMEOUT = scaled(300);

/** Until the connection has been given up, and then for longer than a lease. */
const STOPPED = TIMEOUT * 2 + LEASE + scaled(500);

/** What all calls reject with. */
const UNANSWERED = ['UNAVAILABLE'];

/** Until there are connections again, and what was given up is undone, in ms: much less than a lease. */
const UNDONE = 1500;

const options = { timeout: scaled(30_000) };
let stage: FaultStage;
let service: LockService;

beforeEach(async () => {
  stage = await FaultStage.own();
  // One that it does not know would not run.
  await Promise.all(SCRIPT_TEXTS.map((text) => stage.admin.script('LOAD', text)));
  service = await stage.open({ lockWatchdogTimeout: LEASE, commandTimeout: TIMEOUT });
});
afterEach(async () => {
  await stage.redis.resume();
  await stage.close();
});

/**
 * The server receives these calls while it stands still, and runs them when their callers have given up.
 * @returns the codes with which they rejected, each once
 */
async function callStopped(...calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  await stage.redis.pause();
  const stopped = performance.now();
  const outcomes = calls.map((call) => call().catch((error: unknown) => Object(error).code));
  const codes = new Set(await Promise.all(outcomes));
  await sleep(Math.max(0, stopped + STOPPED - performance.now()));
  await stage.redis.resume();
  return [...codes];
}

async function expectFree(...names: readonly string[]): Promise<void> {
  const held = () => stage.admin.exists(names.map((name) => stage.key(name)));
  await until(`${names.join()} is free`, async () => (await held()) === 0, UNDONE);
}

describe('a server that stands still for longer than a lease', () => {
  test('leaves nothing of a call that was given up meanwhile', options, async () => {
    const wait = { waitTime: TIMEOUT * 2 };
    const outcomes = callStopped(
      () => service.getLock('plain').tryLock(),
      () => service.getLock('waiting').lock(wait),
      () => service.getLock('explicit').tryLock({ leaseTime: LEASE }),
      () => service.getNonReentrantLock('single').tryLock(),
      () => service.getSpinLock('spin').lock(wait),
      () => service.getFairLock('fair').tryLock(),
      () => service.getFairLock('queue').lock(wait),
      () => service.getReadWriteLock('reader').readLock().tryLock(),
      () => service.getReadWriteLock('writer').writeLock().lock(wait),
      () => service.getMultiLock('one', 'other').tryLock(),
    );
    expect(await outcomes).toEqual(UNANSWERED);
    await stage.expectNothingLeft(UNDONE);
  });

  test('leaves no fenced lock, and no tick, to a caller that gave it up', options, async () => {
    const outcomes = callStopped(
      () => service.getFencedLock('fenced').tryLock(),
      () => service.runOnce('job', Date.now(), () => undefined),
    );
    expect(await outcomes).toEqual(UNANSWERED);
    await expectFree('fenced', 'job');
  });

  test('leaves no permit to a caller that gave it up', options, async () => {
    const counted = service.getSemaphore('counted');
    const leased = service.getPermitExpirableSemaphore('leased');
    await counted.trySetPermits(1);
    await leased.trySetPermits(1);
    const outcomes = callStopped(
      () => counted.tryAcquire(),
      () => leased.tryAcquire(),
    );
    expect(await outcomes).toEqual(UNANSWERED);
    const available = async () => [await counted.availablePermits(), await leased.availablePermits()];
    await until(
      'both have their permit',
      async () => `${await available().catch(() => [])}` === '1,1',
      UNDONE,
    );
  });

  test('leaves no lock that a release would have handed to a caller that left', options, async () => {
    const plain = service.getLock('plain');
    const fair = service.getFairLock('fair');
    const holders = await Promise.all([plain.lock({ leaseTime: LEASE * 4 }), fair.lock()]);
    const leaving = new AbortController();
    const { signal } = leaving;
    const waiters = Promise.allSettled([plain.lock({ leaseTime: LEASE, signal }), fair.lock({ signal })]);
    const queue = prefixName('redisson_lock_queue', stage.key('fair'));
    await until('a waiter has its place', async () => (await stage.admin.llen(queue)) === 1);
    void sleep(TIMEOUT * 2).then(() => leaving.abort());
    const outcomes = callStopped(...holders.map((holder) => () => holder.unlock()));
    expect(await outcomes).toEqual(UNANSWERED);
    await waiters;
    await stage.expectNothingLeft(UNDONE);
  });
});
