import { readFileSync, readdirSync } from 'node:fs';
import { Interval, type SchedulerRegistry } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { DistributedLock } from 'nestjs-distributed-lock';
import { afterAll, beforeAll, describe, expect, test as base } from 'vitest';
import { TICK_WAYS } from '../../libs/distributed-lock/src/jobs/job.claimer.port.js';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from './bare.instants.js';
import { fireFixtures, locksOf, registryOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { BEGIN_WAYS, jobAt, OFF_REASONS, type BeginWay, type OffReason, type Place } from './off.scenes.js';

const test = base.extend<FireFixtures>(fireFixtures);

const HALF_HOUR = 1_800_000;

const server = ownRedis();
let admin: Redis;
beforeAll(() => {
  admin = new Redis(server().url);
});
afterAll(() => {
  admin.disconnect();
});

/** A schedule whose latest tick was half an hour ago. */
function restingSchedule(): { readonly expression: string; readonly latest: number } {
  const latest = Math.floor((Date.now() - HALF_HOUR) / 60_000) * 60_000;
  return { expression: `0 ${new Date(latest).getUTCMinutes()} * * * *`, latest };
}

/** Brings a way about on an instance where the job is off, and then starts another one where it is on. */
async function play(
  stage: FireStage,
  reason: OffReason | undefined,
  { ticks = false, bring }: BeginWay,
): Promise<Place[]> {
  const runs: Place[] = [];
  const resting = restingSchedule();
  const expression = ticks ? '* * * * * *' : resting.expression;
  const latest = ticks ? Math.floor(Date.now() / 1000) * 1000 : resting.latest;
  const options = { redis: server().url };
  const [asker] = await stage.start(1, [], options);
  if (asker === undefined) throw new Error('unreachable');
  const record = `{${stage.prefix}${stage.job}}:tick`;
  // The job is known before: ticks before that are never run.
  await locksOf(asker).ticks.jobs.register(
    stage.job,
    `${expression} [UTC]`,
    instants(() => latest),
  );
  if (reason !== undefined) {
    const [app] = await stage.start(1, jobAt('off', stage, runs, expression, reason.cron), {
      ...options,
      ...(reason.schedule && { schedule: reason.schedule() }),
    });
    if (app !== undefined) await reason.turnOff?.(app);
    // What its timer began before it was turned off is none of this.
    await until(
      'no run is under way',
      async () => (await locksOf(asker).jobs.status(stage.job))?.running === undefined,
    );
    runs.length = 0;
  }
  await bring({ stage, admin, record, latest, asker });
  await stage.start(1, jobAt('on', stage, runs, expression), options);
  await until('the instance where the job is on runs it', () => runs.includes('on'), 12_000);
  return runs;
}

describe.concurrent('a run is begun by', { timeout: scaled(30_000) }, () => {
  const ways = Object.entries(BEGIN_WAYS);

  test.for(ways)('%s where the job is on', async ([, way], { stage }) => {
    expect(await play(stage, undefined, way)).toContain('on');
  });

  const cells = ways.flatMap(([name, way]) =>
    Object.entries(OFF_REASONS).map(([why, reason]) => [name, why, way, reason] as const),
  );

  test.for(cells)('%s nowhere where %s', async ([, , way, reason], { stage }) => {
    expect(await play(stage, reason, way)).not.toContain('off');
  });
});

test.for(Object.entries(OFF_REASONS))(
  'runNow answers false where %s everywhere',
  async ([, reason], { stage }) => {
    const runs: Place[] = [];
    const options = { redis: server().url, ...(reason.schedule && { schedule: reason.schedule() }) };
    const [asker] = await stage.start(1, [], { redis: server().url });
    const [app] = await stage.start(1, jobAt('off', stage, runs, '0 0 0 1 1 *', reason.cron), options);
    if (asker === undefined || app === undefined) throw new Error('unreachable');
    await reason.turnOff?.(app);
    await locksOf(asker).ticks.jobs.register(stage.job, 'before', instants(Date.now));
    expect(await locksOf(asker).jobs.runNow(stage.job, { timeout: 500 })).toBe(false);
    expect(runs).toEqual([]);
  },
);

describe.concurrent(
  'a tick that the fleet missed is not caught up with at the boot of an instance',
  { timeout: scaled(30_000) },
  () => {
    /** The occasions of {@link BEGIN_WAYS} that wait in Redis. */
    const waiting = Object.entries(BEGIN_WAYS).filter(([, { ticks }]) => ticks !== true);
    const reasons = Object.entries(OFF_REASONS).filter(([, { turnOff }]) => turnOff === undefined);
    const cells = reasons.flatMap(([why, reason]) =>
      waiting.map(([name, way]) => [why, name, reason, way] as const),
    );

    test.for(cells)('where %s: %s', async ([, , reason, { bring }], { stage }) => {
      const runs: Place[] = [];
      const { expression, latest } = restingSchedule();
      const options = { redis: server().url };
      const [asker] = await stage.start(1, [], options);
      if (asker === undefined) throw new Error('unreachable');
      const record = `{${stage.prefix}${stage.job}}:tick`;
      await locksOf(asker).ticks.jobs.register(
        stage.job,
        `${expression} [UTC]`,
        instants(() => latest),
      );
      await bring({ stage, admin, record, latest, asker });
      await stage.start(1, jobAt('off', stage, runs, expression, reason.cron), {
        ...options,
        ...(reason.schedule && { schedule: reason.schedule() }),
      });
      await stage.start(1, jobAt('on', stage, runs, expression), options);
      await until('the instance where the job is on runs it', () => runs.includes('on'), 12_000);
      expect(runs).not.toContain('off');
    });
  },
);

test('an instance that has not started yet begins none, and begins it when it has', async ({ stage }) => {
  const runs: Place[] = [];
  const { expression, latest } = restingSchedule();
  const [asker] = await stage.start(1, [], { redis: server().url });
  if (asker === undefined) throw new Error('unreachable');
  await locksOf(asker).ticks.jobs.register(
    stage.job,
    `${expression} [UTC]`,
    instants(() => latest),
  );
  await admin.hset(`{${stage.prefix}${stage.job}}:tick`, 'mark', `${latest - 3_600_000}`);
  let open = () => {};
  let waits = false;
  class SlowStart {
    async onModuleInit(): Promise<void> {
      waits = true;
      await new Promise<void>((resolve) => {
        open = resolve;
      });
    }
  }
  const starting = stage.start(1, [...jobAt('on', stage, runs, expression), SlowStart], {
    redis: server().url,
  });
  await until('it waits', () => waits);
  expect(await locksOf(asker).jobs.runNow(stage.job, { timeout: 300 })).toBe(false);
  expect(runs).toEqual([]);
  open();
  await starting;
  await until('it catches up', () => runs.length > 0);
});

test('a job that is started sees what was missed before, once', async ({ stage }) => {
  const runs: Place[] = [];
  const { expression, latest } = restingSchedule();
  const [asker] = await stage.start(1, [], { redis: server().url });
  if (asker === undefined) throw new Error('unreachable');
  await locksOf(asker).ticks.jobs.register(
    stage.job,
    `${expression} [UTC]`,
    instants(() => latest - 3_600_000),
  );
  const [app] = await stage.start(1, jobAt('on', stage, runs, expression, { disabled: true }), {
    redis: server().url,
  });
  if (app === undefined) throw new Error('unreachable');
  expect(await locksOf(asker).jobs.runNow(stage.job, { timeout: 300 })).toBe(false);
  registryOf(app).getCronJob('job').start();
  await until('it catches up', () => runs.length > 0);
  expect((await locksOf(asker).getRuns(stage.job)).map(({ tick }) => tick)).toContain(latest);
});

describe.concurrent('an interval', { timeout: scaled(20_000) }, () => {
  const ends: Readonly<Record<string, (registry: SchedulerRegistry) => void>> = {
    'that is deleted': (registry) => registry.deleteInterval('job'),
    'that is cleared': (registry) => clearInterval(registry.getInterval('job')),
  };

  test.for(Object.entries(ends))('%s begins no run any more', async ([, end], { stage }) => {
    class Job {
      @Interval('job', 300)
      @DistributedLock(stage.job, { onCrash: 'retry', overlap: 'queue' })
      async run(): Promise<void> {
        stage.note();
      }
    }
    const [app] = await stage.start(1, [Job], { redis: server().url });
    if (app === undefined) throw new Error('unreachable');
    await until('a run', () => stage.runs.length > 0);
    end(registryOf(app));
    const locks = locksOf(app);
    await until('none is under way', async () => (await locks.jobs.status(stage.job))?.running === undefined);
    const before = stage.runs.length;
    await admin.hset(`{${stage.prefix}${stage.job}}:tick`, 'queued', `${Date.now()}`);
    expect(await locks.jobs.runNow(stage.job, { timeout: 500 })).toBe(false);
    expect(stage.runs).toHaveLength(before);
  });
});

describe('the table of the ways to begin a run', () => {
  test('has a row for each name under which a claim is made', () => {
    const covered = new Set(Object.values(BEGIN_WAYS).map(({ way }) => way));
    // A test that brings a tick about is asked in test/memory/testing.module.spec.ts.
    expect([...covered, 'advance'].toSorted()).toEqual([...TICK_WAYS].toSorted());
  });

  test('has all places in which the scripts grant runs', () => {
    const folder = new URL('../../lua/tick/', import.meta.url);
    const grants = readdirSync(folder).flatMap((name) => {
      const count =
        readFileSync(new URL(name, folder), 'utf8').match(/[^-]\bgrant(?:Run|First)\(/g)?.length ?? 0;
      return count === 0 ? [] : [[name, count]];
    });
    // A request and a queued tick; what stood before anything newer; a tick of the schedule.
    expect(grants).toEqual([
      ['again.lua', 3],
      ['claim.lua', 2],
    ]);
  });

  test('has all claims of schedules, which are made by one class', () => {
    const rooms = ['scheduled-methods', 'jobs', 'nest-schedule', 'instants'].map(
      (room) => new URL(`../../libs/distributed-lock/src/${room}/`, import.meta.url),
    );
    const claiming = rooms.flatMap((room) =>
      readdirSync(room).filter(
        (name) => !name.endsWith('.spec.ts') && /\.claim\(/.test(readFileSync(new URL(name, room), 'utf8')),
      ),
    );
    expect(claiming).toEqual(['job.claimer.ts']);
  });
});
