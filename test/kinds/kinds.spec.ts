import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lockable } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockConfigurationError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { REMEDIES } from '../../libs/distributed-lock/src/errors/error.table.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';

const services = new Services();
let locks: LockService;
beforeAll(async () => {
  locks = await services.open();
});
afterAll(() => services.close());

/** What the application calls each kind, and how it gets one. */
const KINDS: Readonly<Record<string, (name: string) => unknown>> = {
  're-entrant lock': (name) => locks.getLock(name),
  'non-re-entrant lock': (name) => locks.getNonReentrantLock(name),
  'spin lock': (name) => locks.getSpinLock(name),
  'fenced lock': (name) => locks.getFencedLock(name),
  'fair lock': (name) => locks.getFairLock(name),
  'non-re-entrant fair lock': (name) => locks.getNonReentrantFairLock(name),
  'read/write lock': (name) => locks.getReadWriteLock(name),
  semaphore: (name) => locks.getSemaphore(name),
  'permit-expirable semaphore': (name) => locks.getPermitExpirableSemaphore(name),
  'count-down latch': (name) => locks.getCountDownLatch(name),
};
const PAIRS = Object.keys(KINDS).flatMap((one) =>
  Object.keys(KINDS).flatMap((other) => (one === other ? [] : [[one, other] as const])),
);

function refusal(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return error;
  }
}

describe('one name', () => {
  test.each(PAIRS)('that is a %s is refused as a %s', (one, other) => {
    const name = `${one} and ${other}`;
    KINDS[one]?.(name);
    const error = refusal(() => KINDS[other]?.(name));
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect(error).toMatchObject({
      code: 'KIND_CONFLICT',
      lock: name,
      message: `"${name}" is a ${one} in this application, and cannot also be a ${other}. ${REMEDIES.KIND_CONFLICT}`,
    });
    // The first one goes on.
    expect(() => KINDS[one]?.(name)).not.toThrow();
  });

  // What a dashboard, a health check and an operator call, which know the name alone.
  test.each<[string, (name: string) => Promise<unknown>]>([
    ['jobs.status()', (name) => locks.jobs.status(name)],
    ['getRuns()', (name) => locks.getRuns(name)],
    ['jobs.pause()', (name) => locks.jobs.pause(name)],
    ['jobs.resume()', (name) => locks.jobs.resume(name)],
    ['jobs.runNow()', (name) => locks.jobs.runNow(name)],
    ['jobs.forget()', (name) => locks.jobs.forget(name)],
    ['fleet.lock()', (name) => locks.fleet.lock(name)],
    ['fleet.locks()', (name) => locks.fleet.locks({ prefix: name })],
  ])('that %s was called with, and that is no job, may be of any kind', async (call, look) => {
    for (const kind of Object.keys(KINDS)) {
      const name = `${call} and ${kind}`;
      const code: unknown = await look(name).then(
        () => undefined,
        (error: unknown) => Reflect.get(Object(error), 'code'),
      );
      expect([undefined, 'UNKNOWN_JOB']).toContain(code);
      expect(() => KINDS[kind]?.(name)).not.toThrow();
    }
  });

  test('that was forgotten meanwhile leaves no lock behind where it is a fenced one now', async () => {
    const held = await locks.getLock('forgotten').lock();
    for (let name = 0; name < 10_001; name += 1) locks.getLock(`other ${name}`);
    const asking = locks.getFencedLock('forgotten').lock({ waitTime: '5s' });
    await held.unlock();
    await expect(asking).rejects.toMatchObject({ code: 'KIND_CONFLICT', lock: 'forgotten' });
    expect(await services.admin.keys(`${services.prefix}forgotten*`)).toEqual([]);
  });

  test('may be both sides of a read/write lock, in any order of requests', async () => {
    const { readLock, writeLock } = locks.getReadWriteLock('both');
    await writeLock().using(() => readLock().using(() => undefined));
    expect(await locks.using('both', () => 'read', { kind: 'read' })).toBe('read');
    expect(await locks.using('both', () => 'written', { kind: 'write' })).toBe('written');
  });

  test('is refused by a multi lock, and by using(), as by the method of its kind', async () => {
    locks.getFairLock('queued');
    expect(refusal(() => locks.getMultiLock('a', 'queued'))).toMatchObject({
      code: 'KIND_CONFLICT',
      lock: 'queued',
    });
    const multi: Lockable = locks.getMultiLock('a', locks.getFairLock('queued'));
    expect(await multi.using(() => 'ran')).toBe('ran');
    for (const key of ['queued', ['a', 'queued']])
      await expect(locks.using(key, () => 'ran')).rejects.toMatchObject({
        code: 'KIND_CONFLICT',
        lock: 'queued',
      });
    expect(await locks.using('queued', () => 'ran', { kind: 'fair' })).toBe('ran');
  });

  test('may be of another kind in another service: the application has to prevent that', async () => {
    const other = await services.open();
    locks.getLock('mine');
    expect(await other.getSpinLock('mine').using(() => 'ran')).toBe('ran');
  });

  test('is what it is in Redis: two names that are mapped to one are one', async () => {
    const mapped = await services.open({
      namePrefix: undefined,
      nameMapper: (name) => services.prefix + name.toLowerCase(),
    });
    mapped.getLock('Job');
    expect(refusal(() => mapped.getFairLock('JOB'))).toMatchObject({ code: 'KIND_CONFLICT', lock: 'JOB' });
  });
});
