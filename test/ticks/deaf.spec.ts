import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from '@nestjs/schedule';
import type { INestApplicationContext, Provider } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { FaultStage } from '../support/faults/fault.stage.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { FireStage, locksOf } from './fire.stage.js';

/** Without its subscription an instance looks at least so often, in ms: docs/ticks.md. */
const LOOK = 3000;

/** A request looks whether it is served at least so often, in ms. */
const POLL = 1000;

/** A call, a run, and its report, in ms. */
const SLACK = 1500;

interface Deafness {
  readonly stage: FireStage;
  readonly admin: Redis;
  /** As the default user, who may subscribe, or as one who may not. */
  start(user: 'hears' | 'deaf', providers?: readonly Provider[]): Promise<INestApplicationContext>;
}

const test = base.extend<{ deafness: Deafness }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  deafness: async ({}: object, use: (deafness: Deafness) => Promise<void>): Promise<void> => {
    const [faults, stage] = [await FaultStage.own(), new FireStage()];
    const mute = ['-subscribe', '-ssubscribe', '-psubscribe'];
    await faults.admin.acl('SETUSER', 'deaf', 'on', '>secret', '~*', '&*', '+@all', ...mute);
    const url = { hears: faults.url, deaf: `redis://deaf:secret@127.0.0.1:${faults.port}` };
    try {
      await use({
        stage,
        admin: faults.admin,
        start: async (user, providers = []) => {
          const [app] = await stage.start(1, providers, { redis: url[user] });
          if (app === undefined) throw new Error('unreachable');
          return app;
        },
      });
    } finally {
      await stage.close();
      await faults.close();
    }
  },
});

/** A job that its schedule does not run. */
function jobOf(stage: FireStage): Provider {
  class Job {
    @Cron('0 0 0 1 1 *', { timeZone: 'UTC' })
    @DistributedLock(stage.job)
    async run(): Promise<void> {
      stage.note();
    }
  }
  return Job;
}

/** @returns how long a request took until it was answered, in ms */
async function request(app: INestApplicationContext, { job }: FireStage): Promise<number> {
  const start = performance.now();
  expect(await locksOf(app).jobs.runNow(job, { timeout: '20s' })).toBe(true);
  return performance.now() - start;
}

async function scriptCalls(admin: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
}

describe.concurrent('an instance whose Redis user must not subscribe', { timeout: scaled(40_000) }, () => {
  test('runs what it requests itself at once', async ({ deafness: { stage, start } }) => {
    const app = await start('deaf', [jobOf(stage)]);
    const from = Date.now();
    expect(await request(app, stage)).toBeLessThan(POLL + scaled(SLACK));
    expect(stage.runs).toHaveLength(1);
    expect((stage.runs[0]?.at ?? Infinity) - from).toBeLessThan(scaled(SLACK));
  });

  test('runs what another one requests within 3 s', async ({ deafness: { stage, start } }) => {
    await start('deaf', [jobOf(stage)]);
    const desk = await start('hears');
    for (let times = 1; times <= 2; times += 1) {
      expect(await request(desk, stage)).toBeLessThan(LOOK + scaled(SLACK));
      expect(stage.runs).toHaveLength(times);
    }
  });

  test('finds out within a second that its request is served', async ({ deafness: { stage, start } }) => {
    await start('hears', [jobOf(stage)]);
    const desk = await start('deaf');
    const from = Date.now();
    expect(await request(desk, stage)).toBeLessThan(POLL + scaled(SLACK));
    expect((stage.runs[0]?.at ?? Infinity) - from).toBeLessThan(scaled(SLACK));
  });

  test('finds out that its request was served, although another one was served since', async ({
    deafness: { stage, start },
  }) => {
    await start('hears', [jobOf(stage)]);
    const [desk, other] = [await start('deaf'), await start('hears')];
    const first = request(desk, stage);
    await until('it has run', () => stage.runs.length === 1);
    for (let times = 0; times < 3; times += 1) await request(other, stage);
    await first;
    expect(stage.runs).toHaveLength(4);
  });

  test('looks every 3 s', async ({ deafness: { stage, admin, start } }) => {
    await start('deaf', [jobOf(stage)]);
    await sleep(scaled(1000));
    const before = await scriptCalls(admin);
    await sleep(2 * LOOK);
    // One call for each look.
    const looks = (await scriptCalls(admin)) - before;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(3);
  });

  test('looks, where one that is subscribed sends nothing', async ({ deafness: { stage, admin, start } }) => {
    await start('hears', [jobOf(stage)]);
    await sleep(scaled(1000));
    const before = await scriptCalls(admin);
    await sleep(2 * LOOK);
    expect(await scriptCalls(admin)).toBe(before);
  });
});
