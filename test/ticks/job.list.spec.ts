import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { instants } from './bare.instants.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(() => services.close());

const register = (locks: LockService, job: string) =>
  locks.ticks.jobs.register(
    job,
    'hourly',
    instants(() => 'now'),
  );
const names = async (locks: LockService) => (await locks.jobs.list()).map(({ job }) => job);

describe('jobs.list()', () => {
  test('has the jobs of all instances, by name, with their state', async () => {
    const [one, other, desk] = [
      await services.open(),
      await services.open({ appName: 'other' }),
      await services.open(),
    ];
    await register(one, 'nightly');
    await register(other, 'hourly');
    await one.runOnce('migration', 1000, () => undefined);
    await desk.jobs.pause('nightly');
    await until('all are listed', async () => (await names(desk)).length === 3);
    expect(await desk.jobs.list()).toMatchObject([
      { job: 'hourly', app: 'other', schedule: 'hourly', paused: undefined, lastRun: undefined },
      {
        job: 'migration',
        app: undefined,
        lastRun: { tick: 1000, outcome: 'completed' },
        lastSuccess: expect.any(Number),
        counts: { completed: 1 },
      },
      { job: 'nightly', paused: expect.any(Number), pausedBy: expect.stringContaining(`:${process.pid}:`) },
    ]);
    expect((await desk.jobs.list({ limit: 2 })).map(({ job }) => job)).toEqual(['hourly', 'migration']);
  });

  test('still has a job that no instance has any more, until it is forgotten', async () => {
    const [one, desk] = [await services.open(), await services.open()];
    await register(one, 'nightly');
    await until('it is listed', async () => (await names(desk)).length === 1);
    await one.shutDown();
    expect(await names(desk)).toEqual(['nightly']);
    await desk.jobs.forget('nightly');
    expect(await names(desk)).toEqual([]);
    expect(await services.keys()).toEqual([]);
  });

  test('has no job whose record was deleted by somebody else, and removes it from the list', async () => {
    const [one, desk] = [await services.open(), await services.open()];
    await register(one, 'nightly');
    await until('it is listed', async () => (await names(desk)).length === 1);
    await services.admin.del(`{${services.prefix}nightly}:tick`);
    expect(await names(desk)).toEqual([]);
    expect(await services.keys()).toEqual([]);
  });

  test('knows the keys that a nameMapper makes, in a process without one', async () => {
    const nameMapper = (name: string) => `${services.prefix}mapped:${name}`;
    const one = await services.open({ namePrefix: undefined, nameMapper });
    const reader = await services.open({ namePrefix: '' });
    await register(one, 'nightly');
    const found = async () =>
      (await reader.jobs.list({ limit: 10_000 })).find(
        ({ job, schedule }) => job === 'nightly' && schedule === 'hourly',
      );
    await until('it is listed', async () => (await found()) !== undefined);
    await one.jobs.forget('nightly');
    expect(await found()).toBeUndefined();
  });

  test('of 1,200 jobs has all of them', async () => {
    const one = await services.open();
    const jobs = Array.from({ length: 1200 }, (_, index) => `job ${String(index).padStart(4, '0')}`);
    await Promise.all(jobs.map((job) => register(one, job)));
    const all = async () => (await one.jobs.list({ limit: 10_000 })).map(({ job }) => job);
    await until('all are listed', async () => (await all()).length === jobs.length);
    expect(await all()).toEqual(jobs);
    expect(await names(one)).toEqual(jobs.slice(0, 1000));
  });

  test('leaves out a job that Redis refuses to read, and has the others', async () => {
    const one = await services.open();
    await register(one, 'broken');
    await register(one, 'nightly');
    expect(await names(one)).toEqual(['broken', 'nightly']);
    await services.admin.del(`{${services.prefix}broken}:tick`);
    await services.admin.set(`{${services.prefix}broken}:tick`, 'mine');
    expect(await names(one)).toEqual(['nightly']);
    await services.admin.del(`{${services.prefix}broken}:tick`);
  });

  test('never keeps a job from its registration: a list of another type is logged once', async () => {
    await services.admin.set(`{${services.prefix}}:job_list`, 'mine');
    const one = await services.open();
    const notices: Notice[] = [];
    one.engine.context.notices.listen((notice) => notices.push(notice));
    const unlisted = () => notices.filter(({ kind }) => kind === 'unlisted');
    await register(one, 'nightly');
    await until('it is logged', () => unlisted().length > 0);
    await register(one, 'hourly');
    await sleep(100);
    expect(unlisted()).toHaveLength(1);
    expect(await one.jobs.status('hourly')).toMatchObject({ schedule: 'hourly' });
    await expect(one.jobs.list()).rejects.toMatchObject({ code: 'WRONG_TYPE' });
    expect(await services.admin.getdel(`{${services.prefix}}:job_list`)).toBe('mine');
  });

  test.each([0, -1, 1.5, 10_001, Infinity, '5'])('refuses a limit of %j', async (limit) => {
    const one = await services.open();
    await expect(one.jobs.list({ limit: limit as number })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
