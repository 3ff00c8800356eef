import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Semaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { CounterFleet } from './counter.fleet.js';

const name = 's';
let fleet: CounterFleet;
let one: LockService;
let ours: Semaphore;
beforeEach(async () => {
  fleet = new CounterFleet();
  one = await fleet.open();
  ours = one.getSemaphore(name);
});
afterEach(() => fleet.close());

test('one name is of one kind in an application', () => {
  expect(() => one.getLock(name)).toThrow(
    /is a semaphore in this application, and cannot also be a re-entrant lock/,
  );
  expect(() => one.getPermitExpirableSemaphore(name)).toThrow(/KIND_CONFLICT|is a semaphore/);
  expect(() => one.getSemaphore('')).toThrow(/not a valid lock name/);
});

test('a key of another type is named', async () => {
  await fleet.redis.hset(fleet.key(name), 'field', 'value');
  const calls = [
    ours.acquire(),
    ours.tryAcquire(),
    ours.release(),
    ours.drainPermits(),
    ours.availablePermits(),
    ours.delete(),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'WRONG_TYPE', lock: name } });
  }
  expect(await fleet.redis.hget(fleet.key(name), 'field')).toBe('value');
});

describe('what cannot work is refused before anything is sent', () => {
  const NUMBERS = [0, -1, 1.5, NaN, Infinity, 2 ** 31, '1', null];
  test.each(NUMBERS)('%s permits', async (number) => {
    const permits = number as never;
    const refused = { code: 'INVALID_OPTION', lock: name };
    await expect(ours.acquire(permits)).rejects.toMatchObject(refused);
    await expect(ours.tryAcquire(permits)).rejects.toMatchObject(refused);
    await expect(ours.release(permits)).rejects.toMatchObject(refused);
    await expect(ours.releaseIfExists(permits)).rejects.toMatchObject(refused);
    await expect(ours.using(() => 0, { permits })).rejects.toMatchObject(refused);
    await fleet.expectNothingLeft();
  });

  test('a time, a signal, a work or a life that is none', async () => {
    const refused = { code: 'INVALID_OPTION', lock: name };
    await expect(ours.acquire(1, { waitTime: -1 })).rejects.toMatchObject(refused);
    await expect(ours.acquire(1, { signal: {} as never })).rejects.toMatchObject(refused);
    await expect(ours.trySetPermits(1, 0)).rejects.toMatchObject(refused);
    await expect(ours.trySetPermits(-1)).rejects.toMatchObject(refused);
    await expect(ours.addPermits(-(2 ** 31))).rejects.toMatchObject(refused);
    await expect(ours.using('work' as never)).rejects.toMatchObject(refused);
    await fleet.expectNothingLeft();
  });
});
