import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callOfTheApplication } from '../support/application.call.js';
import { DoorStage } from './door.stage.js';

@Injectable()
class Accounts {
  @DistributedLock('account', { waitTime: 0 })
  async close(): Promise<string> {
    return 'closed';
  }

  @DistributedLock('account', { waitTime: '100ms' })
  async audit(): Promise<string> {
    return 'audited';
  }

  @DistributedLock('ledger')
  async write(): Promise<string> {
    await Promise.resolve();
    throw new RangeError('no such entry');
  }
}

describe('the stack of an error of a guarded method leads to its caller', () => {
  let stage: DoorStage;
  let accounts: Accounts;

  beforeEach(async () => {
    stage = new DoorStage();
    accounts = (await stage.start({ providers: [Accounts] })).get(Accounts);
  });
  afterEach(() => stage.close());

  test.each([
    ['a refusal at once', () => accounts.close()],
    ['a refusal after a wait', () => accounts.audit()],
  ])('%s', async (_, call) => {
    await stage.hold('account');
    const error = await callOfTheApplication(call);
    expect(error.stack).toMatch(/^LockNotAcquiredError: /);
    expect(error.stack).toContain('callOfTheApplication');
  });

  test('when it throws an error of its own', async () => {
    const error = await callOfTheApplication(() => accounts.write());
    expect(error.stack).toMatch(/^RangeError: no such entry\n\s+at .*write/);
    expect(error.stack).toContain('callOfTheApplication');
  });
});
