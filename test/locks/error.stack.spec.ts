import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { callOfTheApplication } from '../support/application.call.js';
import { Services } from '../support/services.js';
import { ownRedis } from './own.redis.js';

describe('the stack of an error leads to the caller', () => {
  const server = ownRedis();
  let services: Services;
  let lock: Lock;
  let key: string;

  beforeEach(async () => {
    services = new Services(server().url);
    const here = await services.open();
    lock = here.getLock('x');
    key = here.settings.mapName('x');
  });
  afterEach(() => services.close());

  const held = async () => {
    const there = await services.open();
    await there.getLock('x').lock({ leaseTime: '1m' });
  };
  const heldHere = async () => {
    await lock.lock();
  };
  const ofAnotherType = () => services.admin.set(key, 'v');

  let handle: LockHandle;
  const heldAndReplaced = async () => {
    handle = await lock.lock();
    await ofAnotherType();
  };

  const once = () => lock.lock({ waitTime: 0 });
  const afterAWait = () => lock.lock({ waitTime: '100ms' });
  const section = () => lock.using(() => 'ran', { waitTime: 0 });

  test.each([
    ['a lock that another process has', held, once, 'LockNotAcquiredError'],
    ['a section of it', held, section, 'LockNotAcquiredError'],
    ['a wait for it that ends', held, afterAWait, 'LockNotAcquiredError'],
    ['a lock that this process has', heldHere, once, 'LockNotAcquiredError'],
    ['a wait for it that ends, here', heldHere, afterAWait, 'LockNotAcquiredError'],
    ['a key of another type', ofAnotherType, once, 'LockUnavailableError'],
    ['a key of another type, tried', ofAnotherType, () => lock.tryLock(), 'LockUnavailableError'],
    ['a key of another type, at its release', heldAndReplaced, () => handle.unlock(), 'LockUnavailableError'],
    ['a key of another type, waited for', ofAnotherType, afterAWait, 'LockUnavailableError'],
  ])('%s', async (_, prepare, ask, name) => {
    await prepare();
    const error = await callOfTheApplication(ask);
    expect(error).toMatchObject({ name });
    expect(error.stack).toContain('callOfTheApplication');
    // The message stays in front of it.
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
  });
});
