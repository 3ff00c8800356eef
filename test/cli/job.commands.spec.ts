import { hostname, userInfo } from 'node:os';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { ask, say } from './command.stage.js';

let services: Services;
let service: LockService;

beforeEach(async () => {
  services = new Services();
  service = await services.open();
  await service.runOnce('nightly', 1000, () => undefined);
  // A process finds its own jobs from their first claim on.
  await service.jobs.list();
});
afterEach(async () => {
  await service.jobs.forget('nightly', { force: true }).catch(() => undefined);
  const left = await services.keys();
  await services.close();
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
});

const command = (...args: string[]) => say([...args, '--prefix', services.prefix], inject('redisUrl'));
const json = async (...args: string[]) =>
  (await ask([...args, '--prefix', services.prefix], inject('redisUrl'))).json;

test('jobs lists all of them, with their state', async () => {
  await service.ticks.jobs.steer('nightly', 'pause', 'ada');
  const { code, out } = await command('jobs');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^JOB +STATE +ON +NEXT +LAST RUN +OUTCOME +TOOK +LAST SUCCESS +SCHEDULE +APP\nnightly +paused since \S+Z +- +- +\S+Z +completed +\d+ ms +\S+Z +- +-\n$/,
  );
  expect(await json('jobs')).toMatchObject({
    jobs: [{ job: 'nightly', paused: expect.any(Number), lastRun: { outcome: 'completed' } }],
    isCut: false,
  });
});

test('jobs reports that there are none, or more than its limit', async () => {
  await service.runOnce('hourly', 1000, () => undefined);
  expect(await service.jobs.list()).toHaveLength(2);
  expect(await command('jobs', '--limit', '1')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^JOB.*\nhourly .*\n$/),
    err: 'There are more than 1: raise --limit.\n',
  });
  await service.jobs.forget('hourly');
  await service.jobs.forget('nightly');
  expect(await command('jobs')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^There is no job with the prefix .* as --prefix\.\n$/),
  });
});

test('a tick that no instance has claimed for more than 10 s is overdue', async () => {
  const now = Date.now();
  await service.ticks.jobs.register('nightly', 'hourly', {
    latest: () => now - 3_600_000,
    next: () => now - 11_000,
    period: undefined,
  });
  expect((await command('jobs')).out).toMatch(/\nnightly +overdue +- +\S+Z /);
  expect((await command('job', 'nightly')).out).toMatch(/^state +overdue\n/);
});

test('job shows its state and its newest runs', async () => {
  const { code, out } = await command('job', 'nightly');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^state +idle\nnext +-\nlast success +\S+Z\ncounts +completed 1, failed 0, .*\n\nTICK +OUTCOME .*\n1970-01-01T00:00:01\.000Z +completed /,
  );
  expect(await json('job', 'nightly')).toMatchObject({
    job: 'nightly',
    status: { mark: 1000, counts: { completed: 1 } },
    runs: [{ tick: 1000 }],
  });
});

test('pause and resume say whether they have changed anything', async () => {
  expect(await command('pause', 'nightly')).toMatchObject({
    code: 0,
    out: 'Job "nightly" is paused on all instances. A current run continues.\n',
  });
  const operator = `${userInfo().username}@${hostname()} (command line)`;
  expect(await service.jobs.status('nightly')).toMatchObject({ pausedBy: operator });
  expect((await command('job', 'nightly')).out).toContain(`\npaused by     ${operator}\n`);
  expect(await json('pause', 'nightly')).toEqual({ job: 'nightly', paused: true, changed: false });
  expect(await service.jobs.status('nightly')).toMatchObject({ paused: expect.any(Number) });
  expect((await command('resume', 'nightly')).out).toMatch(/^Job "nightly" is resumed\./);
  expect(await json('resume', 'nightly')).toEqual({ job: 'nightly', paused: false, changed: false });
  expect(await service.jobs.status('nightly')).toMatchObject({ paused: undefined });
});

test('run-now says that no instance has started the job', async () => {
  expect(await command('run-now', 'nightly', '--wait', '300ms')).toMatchObject({
    code: 1,
    out: expect.stringContaining('No instance has started job "nightly" within 300 ms'),
  });
  expect(await json('run-now', 'nightly', '--wait', '100ms')).toEqual({ job: 'nightly', started: false });
});

test('forget asks, and deletes the record', async () => {
  const forget = (answer?: string) =>
    say(['forget', 'nightly', '--prefix', services.prefix], inject('redisUrl'), answer);
  expect(await forget('n')).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was done.') });
  expect(await forget()).toMatchObject({ code: 2, err: expect.stringContaining('use --yes') });
  expect(await service.jobs.status('nightly')).toBeDefined();
  expect(await forget('y')).toMatchObject({ code: 0, out: 'The record of job "nightly" was deleted.\n' });
  expect(await service.jobs.status('nightly')).toBeUndefined();
});

test('forget leaves a running job alone, unless it is forced', async () => {
  await service.runOnce('nightly', 2000, async () => {
    expect(await command('forget', 'nightly', '--yes')).toMatchObject({
      code: 1,
      out: expect.stringContaining('is running, and was not changed'),
    });
    expect((await command('jobs')).out).toContain('running since');
    expect((await command('job', 'nightly')).out).toContain(`runs on       `);
    expect(await json('forget', 'nightly', '--yes', '--force')).toEqual({ job: 'nightly', forgotten: true });
  });
});

test.each(['pause', 'resume', 'run-now', 'forget'])('%s of an unknown job writes nothing', async (name) => {
  const { code, out, err } = await command(name, 'typo', ...(name === 'forget' ? ['--yes'] : []));
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('Redis has no record of job "typo"');
});

test.each([
  [['pause'], 'pause needs the name of a job.'],
  [['jobs', 'a'], 'jobs accepts no name'],
  [['run-now', 'a', '--wait', 'forever'], '--wait'],
  [['run-now', 'a', '--wait', '0'], '--wait'],
  [['pause', 'a', '--force'], 'pause has no option --force.'],
])('%j is refused', async (args, text) => {
  expect(await command(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(text) });
});
