import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { expireReports, killAll, reportsAndRuns } from '../fleet/dead.fleet.js';
import { JobApps, jobOf, sharedJobOf, YEARLY } from '../fleet/job.apps.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { TickFleet } from '../ticks/tick.fleet.js';
import { runProcess } from './command.stage.js';

const HERE = `${hostname()}:${process.pid}`;

let services: Services;
let apps: JobApps;
/** Of the fleet that the commands are about. */
let prefix: string;

beforeAll(() => Logger.overrideLogger(false));
beforeEach(() => {
  services = new Services();
  ({ prefix } = services);
  apps = new JobApps(inject('redisUrl'), services.prefix);
});
afterEach(async () => {
  await apps.close();
  const left = await services.keys();
  if (left.length > 0) await services.admin.del(left);
  await services.close();
});

/** The command in a process of its own. */
const command = (...args: string[]) => runProcess([...args, '--prefix', prefix], inject('redisUrl'));
const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).out) as unknown;

/** The cells of a job's row in the table of jobs, by their heads. */
async function rowOf(job: string): Promise<Record<string, string>> {
  const [heads = '', ...rows] = (await command('jobs')).out.trimEnd().split('\n');
  const row = rows.find((each) => each.split(/ {2,}/)[0] === job) ?? '';
  const cells = row.split(/ {2,}/);
  return Object.fromEntries(heads.split(/ {2,}/).map((head, at) => [head, cells[at] ?? '']));
}

describe('the command line', { timeout: scaled(120_000) }, () => {
  test('keeps the old name of a renamed job, which no instance has, until it is forgotten', async () => {
    await apps.startRenamed('shop', 'report', 'daily-report');
    expect(await rowOf('report')).toMatchObject({ ON: '0', OUTCOME: 'completed', APP: 'shop' });
    expect(await rowOf('daily-report')).toMatchObject({ ON: '1', 'LAST RUN': '-', APP: 'shop' });
    expect((await command('job', 'report')).out).toMatch(/^on at +no instance$/m);
    expect(await json('job', 'report')).toMatchObject({
      ...{ on: [], apps: ['shop'], isFleetKnown: true },
      // One each second, until it was stopped.
      runs: expect.arrayContaining([expect.objectContaining({ outcome: 'completed' })]),
    });
    expect(await json('jobs')).toMatchObject({
      jobs: [
        { job: 'daily-report', on: [expect.any(String)] },
        { job: 'report', on: [], apps: ['shop'] },
      ],
    });
    expect(await command('forget', 'report', '--yes')).toMatchObject({ code: 0 });
    expect(await json('jobs')).toMatchObject({ jobs: [{ job: 'daily-report' }] });
    expect((await command('job', 'report')).code).toBe(1);
  });

  test('has one job where instances, and methods, share it', async () => {
    await apps.start('shop', sharedJobOf('rounds', YEARLY));
    await apps.start('shop', sharedJobOf('rounds', YEARLY));
    expect(await rowOf('rounds')).toMatchObject({ ON: '2', SCHEDULE: 'shared', APP: 'shop' });
    expect((await command('job', 'rounds')).out).toMatch(new RegExp(`^on at +${HERE}, ${HERE}$`, 'm'));
    expect(await json('jobs')).toMatchObject({
      jobs: [{ job: 'rounds', apps: ['shop'], on: [expect.any(String), expect.any(String)] }],
    });
  });

  test('names each of several applications with a job of one name', async () => {
    await apps.start('shop', jobOf('report', YEARLY));
    const desk = await apps.start('desk', jobOf('report', YEARLY));
    expect(await rowOf('report')).toMatchObject({ ON: '2', APP: 'desk, shop' });
    const { out } = await command('job', 'report');
    expect(out).toMatch(new RegExp(`^on at +desk on ${HERE}, shop on ${HERE}$`, 'm'));
    expect(out).toMatch(/^app +desk, shop\nregistered by +desk$/m);
    expect(await json('job', 'report')).toMatchObject({ apps: ['desk', 'shop'], status: { app: 'desk' } });
    await apps.stop(desk);
    expect((await command('job', 'report')).out).toMatch(/^app +shop\nregistered by +desk$/m);
    expect(await rowOf('report')).toMatchObject({ ON: '1', APP: 'shop' });
  });

  test('shows a fleet that was killed as it is, before its reports expire and after', async () => {
    const fleet = new TickFleet(inject('redisUrl'));
    try {
      ({ prefix } = fleet);
      const locks = await services.open({ namePrefix: prefix });
      await fleet.start({}, {});
      await reportsAndRuns(fleet, locks);
      await killAll(fleet);
      await fleet.reach((await fleet.storeNow()) + 12_000);
      expect(await rowOf('counted')).toMatchObject({ STATE: 'overdue', ON: '2', OUTCOME: 'completed' });
      await expireReports(fleet, locks);
      const unknown = await command('jobs');
      expect(unknown.err).toContain('No instance reports: where a job is on is unknown.');
      expect(await rowOf('counted')).toMatchObject({
        STATE: 'overdue',
        ON: '-',
        OUTCOME: 'completed',
        APP: 'ticks',
      });
      expect(await json('jobs')).toMatchObject({ isFleetKnown: false, jobs: [{ on: [], apps: ['ticks'] }] });
      expect((await command('job', 'counted')).out).toMatch(/^on at +unknown: no instance reports$/m);
      // With another instance that reports it is known that none has it.
      const others = new JobApps(inject('redisUrl'), prefix);
      await others.start('ticks', jobOf('other', YEARLY));
      expect(await rowOf('counted')).toMatchObject({ STATE: 'overdue', ON: '0', OUTCOME: 'completed' });
      expect((await command('job', 'counted')).out).toMatch(/^on at +no instance$/m);
      await others.close();
    } finally {
      const left = await fleet.admin.keys(`*${prefix}*`);
      if (left.length > 0) await fleet.admin.del(left);
      await fleet.end();
    }
  });
});
