import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { nothingLeft, openAcked, ReplicaStage, TIMEOUT } from './replica.stage.js';

/** Short, so that a hold ends while replicas are away; long enough for several renewals. */
const LEASE = 20 * TIMEOUT;

let stage: ReplicaStage;
let services: Services;
let service: LockService;

beforeAll(async () => {
  stage = await ReplicaStage.start();
});

afterAll(async () => {
  await stage.stop();
});

beforeEach(async () => {
  services = stage.services();
  await stage.complete(services);
  service = await openAcked(services, { lockWatchdogTimeout: LEASE });
});

afterEach(async () => {
  await stage.resume();
  await services.close();
});

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('a held lock', () => {
  test('is lost at its deadline when no replica has its renewals any more', async () => {
    const handle = await service.getLock('x').lock();
    const isOver = aborted(handle.signal);
    await stage.pause();
    const began = performance.now();
    // Redis has it for longer and longer, with each renewal that does not count.
    await isOver;
    // It was renewed at a third of its time: the first renewal that does not count has not ended it.
    expect(performance.now() - began).toBeGreaterThan(LEASE / 2);
    expect(handle.isHeld).toBe(false);
    expect(await handle.unlock()).toBe('lost');
  });

  test('stays held when replicas are back before its deadline', async () => {
    const handle = await service.getLock('x').lock();
    const renewed = await service.getLock('x').remainTimeToLive();
    await stage.pause();
    await expect(handle.extend(LEASE)).rejects.toMatchObject({ name: 'LockUnavailableError' });
    expect(handle.isHeld).toBe(true);
    await stage.resume();
    const end = performance.now() + LEASE;
    await expect.poll(() => handle.isHeld && performance.now() > end, { timeout: scaled(10_000) }).toBe(true);
    expect(renewed).toBeGreaterThan(0);
    expect(await handle.unlock()).toBe('released');
    await nothingLeft(services);
  });

  test('is not handed to the next caller of its process while its renewals do not count', async () => {
    // With a lease that no slow machine can outlast.
    const lock = (await openAcked(services)).getLock('x');
    const handle = await lock.lock();
    await stage.pause();
    await expect(handle.extend('30s')).rejects.toMatchObject({ name: 'LockUnavailableError' });
    const refused = lock.tryLock({ waitTime: 8 * TIMEOUT }).catch((error: unknown) => error);
    expect(await handle.unlock()).toBe('released');
    expect(await refused).toMatchObject({ code: 'NOT_REPLICATED' });
    await nothingLeft(services);
  });
});
