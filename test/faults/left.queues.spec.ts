import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
  await stage.admin.config('SET', 'lua-time-limit', '50');
});
afterAll(() => stage.close());

/** Every lock for which processes wait in a queue. */
const KINDS: readonly { readonly kind: string; readonly of: (service: LockService) => Lock }[] = [
  { kind: 're-entrant', of: (service) => service.getLock('left') },
  { kind: 'non-re-entrant', of: (service) => service.getNonReentrantLock('left') },
  { kind: 'fenced', of: (service) => service.getFencedLock('left') },
];

const WAYS: readonly {
  readonly how: string;
  readonly hurt: (wire: TcpProxy) => Promise<() => Promise<void>>;
}[] = [
  {
    how: 'is away',
    hurt: async (wire) => {
      wire.refuse();
      return () => Promise.resolve(wire.restore());
    },
  },
  {
    how: 'refuses it',
    hurt: async () => {
      const client = new Redis(stage.url);
      const running = client.eval('while true do end', 0).catch(() => undefined);
      await until('Redis is busy', async () =>
        /BUSY/.test(await stage.admin.get('probe').then(String, (error: unknown) => String(error))),
      );
      return async () => {
        await stage.admin.script('KILL');
        await running;
        client.disconnect();
      };
    },
  },
];

/** The counter of a fenced lock stays. */
async function expectNoQueue(): Promise<void> {
  let left: string[] = [];
  await until('no queue is left', async () => {
    left = (await stage.leftovers()).filter((what) => !what.includes('redisson_lock_token'));
    return left.length === 0;
  }).catch((error: unknown) => {
    throw new Error(`left behind: ${left.join(', ')}`, { cause: error });
  });
}

describe.each(WAYS)('a process that has waited, and leaves the queue while Redis $how', ({ hurt }) => {
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

  test.each(KINDS)(
    'leaves nothing behind once Redis is back ($kind)',
    { timeout: scaled(40_000) },
    async ({ of }) => {
      const { wire } = await waited(of);
      const mend = await hurt(wire);
      // Longer than it lingers, and than it waits for an answer.
      await new Promise((resolve) => setTimeout(resolve, scaled(1200)));
      await mend();
      await expectNoQueue();
    },
  );

  test.each(KINDS)(
    'has left when it uses the lock again ($kind)',
    { timeout: scaled(40_000) },
    async ({ of }) => {
      const { wire, service } = await waited(of);
      const mend = await hurt(wire);
      await new Promise((resolve) => setTimeout(resolve, scaled(1200)));
      await mend();
      await expect(of(service).using(() => 'done', { waitTime: scaled(10_000) })).resolves.toBe('done');
      await expectNoQueue();
    },
  );
});
