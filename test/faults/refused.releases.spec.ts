import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lock, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { PASSING_FAILURES } from '../support/faults/passing.failures.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** The lease of the scope, in ms: it ends with the first release still to be repeated. */
const OUTER = scaled(600);

/** The lease of the acquisition inside, in ms: longer than any test here. */
const INNER = 600_000;

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
});
afterAll(() => stage.close());

const codeOf = (error: unknown): unknown => Object(error).code;

/** Takes a lock twice, one acquisition inside the scope of the other. */
interface Twice {
  readonly kind: string;
  readonly outer: (service: LockService) => Lock;
  /** @default outer */
  readonly inner?: (service: LockService) => Lock;
}

const KINDS: readonly Twice[] = [
  { kind: 're-entrant', outer: (service) => service.getLock('twice') },
  { kind: 'fair', outer: (service) => service.getFairLock('twice') },
  { kind: 'fenced', outer: (service) => service.getFencedLock('twice') },
  { kind: 'read', outer: (service) => service.getReadWriteLock('twice').readLock() },
  { kind: 'write', outer: (service) => service.getReadWriteLock('twice').writeLock() },
  {
    kind: 'read under the write lock',
    outer: (service) => service.getReadWriteLock('twice').writeLock(),
    inner: (service) => service.getReadWriteLock('twice').readLock(),
  },
];

/** Takes the lock once more in its scope, and releases that while Redis is as said. @returns its answer, and what ends that state */
async function releaseInside(
  lock: Lock,
  begin: () => Promise<() => Promise<void>>,
): Promise<{ answer: unknown; end: () => Promise<void> }> {
  const second = await lock.lock({ leaseTime: INNER });
  const end = await begin();
  return { answer: await second.unlock().catch(codeOf), end };
}

describe.each(PASSING_FAILURES)('a release inside a scope while Redis $how', ({ code, begin }) => {
  test.each(KINDS)(
    'is repeated: the lock ends with the lease of the scope ($kind)',
    { timeout: scaled(30_000) },
    async ({ outer, inner = outer }) => {
      const wire = await stage.proxy();
      const service = await stage.open({ commandTimeout: scaled(300) }, wire);
      const work = async (handle: LockHandle) => {
        const { answer, end } = await releaseInside(inner(service), () => begin(stage, wire));
        await until('the lease of the scope is over', () => !handle.isHeld, OUTER + 1000);
        await end();
        return answer;
      };
      expect(await outer(service).using(work, { leaseTime: OUTER })).toBe(code);
      await until('the lock is free', async () => (await stage.admin.exists(stage.key('twice'))) === 0);
    },
  );

  test.each(KINDS)(
    'is repeated as soon as Redis is back ($kind)',
    { timeout: scaled(30_000) },
    async ({ outer, inner = outer }) => {
      const wire = await stage.proxy();
      const service = await stage.open({ commandTimeout: scaled(300) }, wire);
      const work = async () => {
        const { answer, end } = await releaseInside(inner(service), () => begin(stage, wire));
        await end();
        await until('Redis counts one acquisition', async () => {
          const { mode: _mode, ...counts } = await stage.counts('twice');
          return Object.values(counts).join() === '1';
        });
        return answer;
      };
      expect(await outer(service).using(work)).toBe(code);
    },
  );
});
