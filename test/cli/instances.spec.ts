import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { jobKeys } from '../../libs/distributed-lock/src/job-control/job.keys.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import { ask, runProcess, say } from './command.stage.js';

let services: Services;
let shop: LockService;

beforeEach(async () => {
  services = new Services();
  shop = await services.open({ instanceInfo: true, appName: 'shop' });
});
afterEach(() => services.close());

const command = (...args: string[]) => say([...args, '--prefix', services.prefix], inject('redisUrl'));
const json = async (...args: string[]) =>
  (await ask([...args, '--prefix', services.prefix], inject('redisUrl'))).json;
/** The first report comes after 2 s. */
const reported = () => until('it reports', async () => (await shop.fleet.instances()).length > 0, 6000);

const where = `${hostname()}:${process.pid}`;
const id = () => shop.engine.context.ids.client;

test('instances lists those that are alive', { timeout: scaled(20_000) }, async () => {
  expect(await command('instances')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No instance with the prefix "test:\S+" reports\..* as --prefix\.\n$/),
  });
  await using held = await shop.getLock('a').lock();
  await reported();
  const { code, out } = await command('instances');
  expect({ code, held: held.isHeld }).toEqual({ code: 0, held: true });
  const [heads, row, ...others] = out.trimEnd().split('\n');
  expect(heads).toMatch(/^INSTANCE +APP +VERSION +STARTED +SEEN +HELD +WAITING +JOBS ON +ID$/);
  expect(row?.split(/ {2,}/)).toEqual([
    where,
    'shop',
    expect.stringMatching(/^\d+\.\d+\.\d+/),
    expect.stringMatching(/Z$/),
    expect.stringMatching(/Z$/),
    '1',
    '0',
    '0 of 0',
    id(),
  ]);
  expect(others).toEqual([]);
  expect(await json('instances')).toMatchObject({ instances: [{ id: id(), app: 'shop', held: 1 }] });
});

test('show and ls name the instance of a holder', { timeout: scaled(20_000) }, async () => {
  const held = await shop.getLock('a').lock();
  const anonymous = await services.open();
  const other = await anonymous.getLock('b').lock();
  await reported();
  expect((await command('show', 'a')).out).toContain(`holder   ${held.holder} (shop on ${where}), 1 ×`);
  expect(await json('show', 'a')).toMatchObject({ holders: [{ instance: `shop on ${where}` }] });
  const { out } = await command('ls');
  expect(out).toMatch(new RegExp(`\\na +lock +shop on ${where} +1 +`));
  expect(out).toContain(other.holder);
  expect((await command('show', 'b')).out).toContain(`holder   ${other.holder}, 1 ×`);
  await Promise.all([held.unlock(), other.unlock()]);
});

test('jobs and job say on which instances a job is on', { timeout: scaled(20_000) }, async () => {
  for (const [job, isOn] of [
    ['hourly', true],
    ['off', false],
  ] as const) {
    shop.ticks.jobs.follow(job, { register: () => Promise.resolve(), isOn: () => isOn });
    await shop.ticks.jobs.register(
      job,
      'hourly',
      instants(() => 'now'),
    );
  }
  // A process finds its own jobs from their registration on.
  expect(await shop.jobs.list()).toHaveLength(2);
  expect((await command('jobs')).out).toMatch(/\nhourly +idle +- /);
  await reported();
  expect((await command('jobs')).out).toMatch(/\nhourly +idle +1 .*\noff +idle +0 /);
  expect((await command('job', 'hourly')).out).toContain(`\non at         ${where}\n`);
  expect((await command('job', 'off')).out).toContain('\non at         no instance\n');
  expect(await json('jobs')).toMatchObject({
    jobs: [
      { job: 'hourly', on: [id()] },
      { job: 'off', on: [] },
    ],
  });
});

test(
  'run is an instance, and so its lock has a holder with a name',
  { timeout: scaled(30_000) },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'run-'));
    const end = join(folder, 'ended');
    const script = 'setInterval(() => require("node:fs").existsSync(process.argv[1]) && process.exit(), 50)';
    const ended = runProcess(
      ['run', 'a', '--prefix', services.prefix, '--', process.execPath, '-e', script, end],
      inject('redisUrl'),
    );
    const named = new RegExp(`\\na +lock +nestjs-distributed-lock run on ${hostname()}:\\d+ +1 +`);
    await until('it reports', async () => named.test((await command('ls')).out), scaled(10_000));
    expect((await command('show', 'a')).out).toContain(`(nestjs-distributed-lock run on ${hostname()}:`);
    await writeFile(end, '');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    expect((await shop.fleet.instances()).map(({ app }) => app)).not.toContain('nestjs-distributed-lock run');
    await rm(folder, { recursive: true });
  },
);

test('the record of a pause has its range and its number, and names what ended it', async () => {
  const mark = Date.now() - 10_000;
  const passed = instants(() => mark);
  await shop.ticks.jobs.register('hourly', 'hourly', passed);
  await shop.ticks.jobs.steer('hourly', 'pause', 'ada');
  const key = shop.ticks.jobs.targetOf('hourly').key;
  const { record } = jobKeys(key);
  const pause = JSON.parse((await services.admin.hget(record, 'paused')) ?? '') as object;
  const counted = JSON.stringify({ ...pause, mark, count: 3, upTo: mark + 3000 });
  await services.admin.hset(record, { paused: counted, mark: mark + 3000, next: `${mark + 3000} ${mark}` });
  const shown = (await command('job', 'hourly')).out;
  expect(shown).toMatch(/\npaused by +ada\nnext +-\n/);
  await shop.ticks.jobs.steer('hourly', 'resume', 'bob');
  const [, row = ''] = (await command('runs', 'hourly')).out.trimEnd().split('\n');
  expect(row.split(/ {2,}/)).toEqual([
    new Date(mark + 3000).toISOString(),
    'paused × 3',
    '-',
    '-',
    'shop',
    'resumed by bob',
    `the job was paused; all ticks after ${new Date(mark).toISOString()}`,
  ]);
});
