import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { PASSING_FAILURES } from '../support/faults/passing.failures.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
});
// A queue that an earlier test has left would be taken for the one that is waited for.
beforeEach(() => stage.admin.flushall());
afterAll(() => stage.close());

/** Every lock for which processes wait in a queue. */
const KINDS: readonly { readonly kind: string; readonly of: (service: LockService) => Lock }[] = [
  { kind: 're-entrant', of: (service) => service.getLock('left') },
  { kind: 'non-re-entrant', of: (service) => service.getNonReentrantLock('left') },
  { kind: 'fenced', of: (service) => service.getFencedLock('left') },
];

/** Its call to leave the queue has failed: it listens to nothing any more. */
async function hasTriedToLeave({ engine }: LockService): Promise<void> {
  await until('it has tried to leave', () => engine.context.subscriptions.size === 0);
}

async function expectNothingLeft(): Promise<void> {
  // The counter of a fenced lock stays.
  await stage.admin.del(`redisson_lock_token:{${stage.key('left')}}`);
  await stage.expectNothingLeft();
}

describe.each(PASSING_FAILURES)(
  'a process that has waited, and leaves the queue while Redis $how',
  ({ begin }) => {
    /** One process waits for another one, which releases the lock. @returns the wire of the one that has waited, and no longer uses the lock */
    async function waited(
      of: (service: LockService) => Lock,
    ): Promise<{ wire: TcpProxy; service: LockService }> {
      const wire = await stage.proxy();
      const [holder, service] = [await stage.open(), await stage.open({ commandTimeout: scaled(200) }, wire)];
      const hold = await of(holder).lock();
      const waiting = of(service).lock({ waitTime: scaled(10_000) });
      const queue = `{${stage.key('left')}}:waiting`;
      await until(
        'it listens',
        async () => (await stage.admin.zrange(queue, '-inf', '0', 'BYSCORE')).length > 0,
      );
      await hold.unlock();
      await (await waiting).unlock();
      return { wire, service };
    }

    /** It has tried to leave meanwhile, and Redis is back. @returns its service */
    async function hasReturned(of: (service: LockService) => Lock): Promise<LockService> {
      const { wire, service } = await waited(of);
      const end = await begin(stage, wire);
      await hasTriedToLeave(service);
      await end();
      return service;
    }

    test.each(KINDS)(
      'leaves nothing behind once Redis is back ($kind)',
      { timeout: scaled(40_000) },
      async ({ of }) => {
        await hasReturned(of);
        await expectNothingLeft();
      },
    );

    test.each(KINDS)(
      'has left when it uses the lock again ($kind)',
      { timeout: scaled(40_000) },
      async ({ of }) => {
        const service = await hasReturned(of);
        await expect(of(service).using(() => 'done', { waitTime: scaled(10_000) })).resolves.toBe('done');
        await expectNothingLeft();
      },
    );
  },
);
