import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import { Services } from '../support/services.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(() => services.close());

describe('runOnce', () => {
  test('runs an instant once, however many callers there are', async () => {
    const fleet = [await services.open(), await services.open(), await services.open()];
    let runs = 0;
    const work = async () => {
      runs += 1;
      await sleep(20);
      return 'done';
    };
    const asked = Array.from({ length: 12 }, (_, index) => fleet[index % 3]?.runOnce('job', 1_000_000, work));
    const answers = await Promise.all(asked);
    expect(runs).toBe(1);
    expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(11);
  });

  test('runs no instant at or before the last one', async () => {
    const locks = await services.open();
    const ran: number[] = [];
    for (const instant of [5000, 4000, 5000, new Date(6000), 5999, 7000]) {
      await locks.runOnce('job', instant, () => ran.push(Number(instant)));
    }
    expect(ran).toEqual([5000, 6000, 7000]);
  });

  test('passes to the work its tick, its attempt and its token, which rises', async () => {
    const locks = await services.open();
    const tell = () => ({
      ...currentLock()?.toJSON(),
      tick: currentLock()?.tick,
      attempt: currentLock()?.attempt,
    });
    const first = await locks.runOnce('job', 1, tell);
    const second = await locks.runOnce('job', 2, tell);
    expect(first).toMatchObject({ name: 'job', isHeld: true, tick: 1, attempt: 1 });
    expect(BigInt(second?.token ?? 0)).toBeGreaterThan(BigInt(first?.token ?? 0));
  });

  test('does not run while another holder has the lock, and that is on record', async () => {
    const [one, other] = [await services.open(), await services.open()];
    const answer = await one.getLock('job').using(() => other.runOnce('job', 1, () => 'ran'));
    expect(answer).toBeUndefined();
    expect(await one.getRuns('job')).toMatchObject([{ tick: 1, outcome: 'overlapped', attempt: 0 }]);
  });

  test('rejects with the error of the work, which is on record', async () => {
    const locks = await services.open();
    const failing = locks.runOnce('job', 1, () => {
      throw new Error('out of paper');
    });
    await expect(failing).rejects.toThrow('out of paper');
    expect(await locks.getRuns('job')).toMatchObject([
      { outcome: 'failed', reason: 'out of paper', attempt: 1 },
    ]);
  });

  test('rejects with whatever the work throws, and is on record as failed, be it printable or not', async () => {
    const locks = await services.open();
    const thrown: unknown = Object.create(null);
    const failing = locks.runOnce('job', 1, () => {
      throw thrown;
    });
    expect(await failing.catch((error: unknown) => error === thrown)).toBe(true);
    expect(await locks.getRuns('job')).toMatchObject([{ outcome: 'failed', attempt: 1 }]);
  });

  test.each([Number.NaN, -1, 1.5, new Date('never'), Infinity])(
    'refuses %s as an instant',
    async (instant) => {
      const locks = await services.open();
      await expect(locks.runOnce('job', instant, () => 'ran')).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
    },
  );
});
