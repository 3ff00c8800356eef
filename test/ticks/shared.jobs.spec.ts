import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { instants } from './bare.instants.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(async () => {
  for (const key of await services.keys()) await services.admin.del(key);
  await services.close();
});

const register = (locks: LockService, schedule = '0 3 * * *') =>
  locks.ticks.jobs.register(
    'job',
    schedule,
    instants(() => 'now'),
  );

/** What the application that is called so is told of a shared job. */
async function told(locks: LockService, work: () => Promise<unknown>): Promise<Notice[]> {
  const heard: Notice[] = [];
  locks.engine.context.notices.listen((notice) => heard.push(notice));
  await work();
  return heard;
}

describe('two environments on one Redis', () => {
  test('with one prefix and two names share a job, and the later registration is warned', async () => {
    const staging = await services.open({ appName: 'billing (staging)' });
    const production = await services.open({ appName: 'billing (production)' });
    expect(await told(staging, () => register(staging))).toEqual([]);
    expect(await told(production, () => register(production))).toEqual([
      {
        kind: 'shared-job',
        lock: 'job',
        what: 'app',
        was: 'billing (staging)',
        is: 'billing (production)',
      },
    ]);
    expect(await production.runOnce('job', Date.now() + 1000, () => 'ran')).toBe('ran');
    expect(await staging.runOnce('job', Date.now() - 1000, () => 'ran')).toBeUndefined();
  });

  test('that start at once are not both left unwarned', async () => {
    const [one, other] = [await services.open({ appName: 'one' }), await services.open({ appName: 'other' })];
    // Scripts that a server has to learn first would not come at once.
    await one.getRuns('job');
    const notices = await Promise.all([one, other].map((locks) => told(locks, () => register(locks))));
    expect(notices.flat()).toContainEqual(expect.objectContaining({ kind: 'shared-job', what: 'app' }));
  });

  test('with a prefix each have a job each, and nothing to be warned of', async () => {
    const [staging, production] = await Promise.all(
      ['staging', 'production'].map((environment) =>
        services.open({
          namePrefix: `${services.prefix}${environment}:`,
          appName: `billing (${environment})`,
        }),
      ),
    );
    if (staging === undefined || production === undefined) throw new Error('unreachable');
    expect(await told(staging, () => register(staging))).toEqual([]);
    expect(await told(production, () => register(production, '0 4 * * *'))).toEqual([]);
    const tick = Date.now() + 1000;
    const ran = [staging, production].map((locks) =>
      locks.runOnce('job', tick, async () => locks.getRuns('job')),
    );
    const [mine, theirs] = await Promise.all(ran);
    expect([mine?.[0]?.app, theirs?.[0]?.app]).toEqual(['billing (staging)', 'billing (production)']);
    const held = await staging.getLock('x').tryLock();
    const theirLock = await production.getLock('x').tryLock();
    expect([held?.isHeld, theirLock?.isHeld]).toEqual([true, true]);
    await Promise.all([held?.unlock(), theirLock?.unlock()]);
  });

  test('of one application with one name and one prefix are one fleet, without any difference', async () => {
    const [staging, production] = [await services.open(), await services.open()];
    await register(staging);
    expect(await told(production, () => register(production))).toEqual([]);
    expect(await told(production, () => register(production, '0 4 * * *'))).toMatchObject([
      { kind: 'shared-job', what: 'schedule', was: '0 3 * * *', is: '0 4 * * *' },
    ]);
  });
});
