import { describe, expect, test as base, vi } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { FaultStage } from '../support/faults/fault.stage.js';

/** The watchdog's lease, in ms. */
const T = scaled(3000);

interface Fixtures {
  readonly stage: FaultStage;
}

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  stage: async ({}, use) => {
    const stage = await FaultStage.own();
    await use(stage);
    await stage.close();
  },
});

/** How long it takes until somebody stops believing, in ms. */
async function lasts(held: { readonly isHeld: boolean }, within: number): Promise<number> {
  const from = performance.now();
  await until('nobody believes in it', () => !held.isHeld, within);
  return performance.now() - from;
}

describe.concurrent('a fixed lease', { timeout: scaled(30_000) }, () => {
  test('is checked as often as its own length requires, inside of a longer one that is over', async ({
    stage,
  }) => {
    const locks = await stage.open({ lockWatchdogTimeout: 10 * T });
    const lock = locks.getLock('x');
    const inner = await lock.using(() => lock.lock({ leaseTime: T }));
    await (await stage.open()).getLock('x').forceUnlock();
    expect(await lasts(inner, T)).toBeLessThan(T / 3 + scaled(300));
    expect(await inner.unlock()).toBe('lost');
  });

  test('is checked as often as the longer lease requires that it was extended to', async ({ stage }) => {
    const locks = await stage.open({ lockWatchdogTimeout: 10 * T });
    const held = await locks.getLock('x').lock({ leaseTime: 300 });
    expect(await held.extend('1h')).toBe(true);
    const calls = async () =>
      Number(/evalsha:calls=(\d+)/.exec(await stage.admin.info('commandstats'))?.[1] ?? 0);
    // One that was on its way may come yet.
    const from = performance.now();
    await until('the first third of it is over', () => performance.now() - from > 200);
    const before = await calls();
    const start = performance.now();
    await until('a second has passed', () => performance.now() - start > 1000);
    expect((await calls()) - before).toBe(0);
    expect(await held.unlock()).toBe('released');
  });

  test('is not confirmed by a server that may not be written to', async ({ stage }) => {
    const locks = await stage.open({ lockWatchdogTimeout: T });
    const held = await locks.getLock('x').lock({ leaseTime: 100 * T });
    const permit = await locks.getPermitExpirableSemaphore('permits').trySetPermits(1);
    expect(permit).toBe(true);
    const taken = await locks.getPermitExpirableSemaphore('permits').acquire({ leaseTime: 100 * T });
    const reading = await locks
      .getReadWriteLock('rw')
      .readLock()
      .lock({ leaseTime: 100 * T });
    const writing = await locks
      .getReadWriteLock('ww')
      .writeLock()
      .lock({ leaseTime: 100 * T });
    const grants = [held, taken, reading, writing];
    const notices = stage.notices(locks);
    await stage.admin.replicaof('127.0.0.1', '1');
    try {
      const inDoubt = () =>
        new Set(notices.flatMap((notice) => (notice.kind === 'unknown' ? [notice.lock] : [])));
      await until('all of them are in doubt', () => inDoubt().size === grants.length, T);
    } finally {
      await stage.admin.replicaof('NO', 'ONE');
    }
    for (const grant of grants) expect(await grant.unlock()).toBe('released');
    await locks.getPermitExpirableSemaphore('permits').delete();
  });

  test('of a permit that was shortened ends early, whatever a late answer to an earlier check is', async ({
    stage,
  }) => {
    const locks = await stage.open({ lockWatchdogTimeout: T });
    const permits = locks.getPermitExpirableSemaphore('permits');
    await permits.trySetPermits(1);
    const permit = await permits.acquire({ leaseTime: '60s' });
    // The first look is answered at once, and heard late.
    let hear: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const { scripts } = locks.engine.context.kinds.permit;
    const renew = scripts.renew.bind(scripts);
    const answers: (number | undefined)[] = [];
    const looks = vi.spyOn(scripts, 'renew').mockImplementationOnce((lock, id, lease, hearer) =>
      renew(lock, id, lease, {
        answered: (left) =>
          void heard.then(() => {
            answers.push(left);
            hearer.answered(left);
          }),
        failed: (error) => hearer.failed(error),
      }),
    );
    await until('a look is on its way', () => looks.mock.calls.length > 0, T);
    expect(await permits.updateLeaseTime(permit.holder, scaled(400))).toBe(true);
    hear();
    await until('it is heard', () => answers.length === 1, T);
    expect(answers[0]).toBeGreaterThan(scaled(400));
    expect(await lasts(permit, scaled(1000))).toBeLessThan(scaled(400));
    await permits.delete();
  });
});
