import type { INestApplicationContext, Type } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import {
  currentLock,
  DistributedLock,
  type Heartbeat,
  type HeartbeatOption,
  type TickRecord,
} from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { pingFixtures, type PingFixtures } from './ping.receiver.js';
import { tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { awaitRun } from './tick.runners.js';
import { NEVER } from './tick.schedule.js';

const test = base.extend<FireFixtures & PingFixtures & TickFixtures>({
  ...fireFixtures,
  ...pingFixtures,
  ...tickFixtures,
});

const SECONDLY = '* * * * * *';

/** The secret part of the URLs. */
const UUID = '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278';

function jobOf(
  stage: FireStage,
  heartbeat: HeartbeatOption,
  { cron = SECONDLY, work = async () => {} }: { cron?: string; work?: () => Promise<void> } = {},
): Type {
  class Job {
    @Cron(cron)
    @DistributedLock(stage.job, { heartbeat })
    async run(): Promise<void> {
      stage.note();
      await work();
    }
  }
  return Job;
}

/** The records of the job; none while Redis does not answer in time, on a busy machine. */
async function recordsOf(stage: FireStage, app: INestApplicationContext | undefined): Promise<TickRecord[]> {
  if (app === undefined) return [];
  return await locksOf(app)
    .getRuns(stage.job)
    .catch(() => []);
}

/** A gate that a test opens. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Nothing that was logged has a part of the URL beside its host. */
function expectSecret(stage: FireStage): void {
  for (const line of stage.lines('error', 'warn', 'log', 'debug')) {
    expect(line).not.toContain(UUID);
    expect(line).not.toContain('key=');
  }
}

describe.concurrent('the heartbeat of a job', { timeout: scaled(30_000) }, () => {
  test('is sent by the one instance of three that runs the tick: a start, and then the success', async ({
    stage,
    receiver,
  }) => {
    await stage.start(3, [jobOf(stage, receiver.url(`/${UUID}?key=1`))]);
    await receiver.received(`/${UUID}?key=1`, 3, 10_000);
    const ticks = new Set(stage.runs.map(({ tick }) => new Date(tick ?? NaN).toISOString()));
    const ended = receiver.of(`/${UUID}?key=1`);
    for (const { method, facts, body, at } of ended) {
      expect(method).toBe('POST');
      expect(facts).toMatchObject({
        job: stage.job,
        attempt: '1',
        took: expect.stringMatching(/^\d+ ms$/),
        instance: expect.stringMatching(/.:\d+:./),
      });
      expect(ticks).toContain(facts['tick']);
      expect(body).not.toContain(UUID);
      const starts = receiver
        .of(`/${UUID}/start?key=1`)
        .filter((ping) => ping.facts['tick'] === facts['tick']);
      expect(starts).toHaveLength(1);
      expect(starts[0]?.facts['instance']).toBe(facts['instance']);
      expect(starts[0]?.at).toBeLessThan(at);
    }
    expect(new Set(ended.map(({ facts }) => facts['tick'])).size).toBe(ended.length);
    expect(receiver.paths.filter((path) => path.includes('/fail'))).toEqual([]);
    expect(stage.warnings('heartbeat')).toEqual([]);
  });

  test('is a failure with the message of the error, cut, and without control characters', async ({
    stage,
    receiver,
  }) => {
    const work = async (): Promise<void> => {
      throw new Error(`first\r\nsecond\u001b[31m ${'x'.repeat(5000)}`);
    };
    await stage.start(1, [jobOf(stage, receiver.url(`/${UUID}/`), { work })]);
    const [ping] = await receiver.received(`/${UUID}/fail`);
    const error = ping?.facts['error'] ?? '';
    expect(error).toMatch(/^first\\u000d\\u000asecond\\u001b\[31m x+$/);
    expect(error).toHaveLength(1000);
    expect(ping?.facts['took']).toMatch(/^\d+ ms$/);
    const ofTick = receiver.pings.filter(({ facts }) => facts['tick'] === ping?.facts['tick']);
    expect(ofTick.map(({ path }) => path)).toEqual([`/${UUID}/start`, `/${UUID}/fail`]);
  });

  test('delays no run where the receiver is slow, and the success waits for the start', async ({
    stage,
    receiver,
  }) => {
    receiver.answers.set('/slow/start', 'hold');
    const [app] = await stage.start(1, [jobOf(stage, receiver.url('/slow'))]);
    await receiver.received('/slow/start', 3);
    // Each second has its run, and each has ended, while no start is answered.
    const completed = async () =>
      (await recordsOf(stage, app)).filter(({ outcome }) => outcome === 'completed').length;
    await until('three runs have ended', async () => (await completed()) >= 3, 10_000);
    expect(receiver.of('/slow')).toEqual([]);
    receiver.answer();
    await receiver.received('/slow', 3);
    expect(stage.warnings('heartbeat')).toEqual([]);
  });

  test('ends after its timeout where no answer comes, and the next one is sent then', async ({
    stage,
    receiver,
  }) => {
    const timeout = 500;
    receiver.answers.set(`/${UUID}/begin`, 'hold');
    const urls = { start: receiver.url(`/${UUID}/begin`), success: receiver.url(`/${UUID}/end`), timeout };
    const begun: number[] = [];
    const work = async (): Promise<void> => void begun.push(performance.now());
    await stage.start(1, [jobOf(stage, urls, { work })]);
    const [end] = await receiver.received(`/${UUID}/end`);
    const lasted = (end?.at ?? NaN) - (begun[0] ?? NaN);
    expect(lasted).toBeGreaterThan(timeout - 50);
    // The default is 5 s.
    expect(lasted).toBeLessThan(timeout + scaled(3000));
    await until('it is logged', () => stage.warnings('heartbeat').length > 0, 10_000);
    expect(stage.warnings('heartbeat')).toEqual([
      `A heartbeat of job "${stage.job}" did not arrive (${receiver.host}): no answer within ${timeout} ms. Its runs are not affected. The next failure is logged after a heartbeat has arrived.`,
    ]);
    expectSecret(stage);
  });

  test.for([
    ['the status 500', 500, 'it answered with the status 500'],
    ['a redirect to nowhere', { redirect: 'http://127.0.0.1:1/elsewhere' }, '(bad port|ECONNREFUSED)'],
    ['a redirect without an end', { redirect: `/${UUID}` }, 'redirect count exceeded'],
    ['a redirect that is no URL', { redirect: 'http://[' }, '[A-Za-z_ ]+'],
  ] as const)(
    'that gets %s is logged with the host alone, and the runs go on',
    async ([, answer, why], { stage, receiver }) => {
      receiver.answers.set(`/${UUID}`, answer);
      const url = receiver.url(`/${UUID}?key=1`).replace('//', '//user:pass@');
      const [app] = await stage.start(1, [jobOf(stage, { success: url })]);
      await until('it is logged', () => stage.warnings('heartbeat').length > 0, 10_000);
      expect(stage.warnings('heartbeat')).toEqual([
        expect.stringMatching(
          new RegExp(`^A heartbeat of job "${stage.job}" did not arrive \\(${receiver.host}\\): ${why}\\. `),
        ),
      ]);
      expect(stage.warnings('pass')).toEqual([]);
      expectSecret(stage);
      const count = stage.runs.length;
      await until('another run', () => stage.runs.length > count + 1, 10_000);
      const outcomes = (await recordsOf(stage, app)).map(({ outcome }) => outcome);
      expect(outcomes).not.toContain('failed');
    },
  );

  test('to a port where nothing listens is logged, and the runs go on', async ({ stage, receiver }) => {
    const url = receiver.url(`/${UUID}`);
    await receiver.close();
    await stage.start(1, [jobOf(stage, url)]);
    await until('it is logged', () => stage.warnings('heartbeat').length > 0, 10_000);
    expect(stage.warnings('heartbeat')[0]).toContain(`did not arrive (${receiver.host}): ECONNREFUSED. `);
    expectSecret(stage);
    const count = stage.runs.length;
    await until('another run', () => stage.runs.length > count + 1, 10_000);
  });

  test('follows a redirect, and sends the credentials of the URL as a header', async ({
    stage,
    receiver,
  }) => {
    receiver.answers.set('/old', { redirect: '/new?a=b' });
    const url = receiver.url('/old#part').replace('//', '//us%40er:p%3Ass@');
    await stage.start(1, [jobOf(stage, { success: url })]);
    const [ping] = await receiver.received('/new?a=b');
    expect(ping?.facts['job']).toBe(stage.job);
    expect(receiver.of('/old')[0]?.authorization).toBe(
      `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`,
    );
    expect(stage.warnings('heartbeat')).toEqual([]);
  });

  test('is a call of a function, outside of the scope of the run', async ({ stage }) => {
    const beats: Heartbeat[] = [];
    const scopes = new Set<unknown>();
    const note = (heartbeat: Heartbeat): void => {
      beats.push(heartbeat);
      scopes.add(currentLock());
    };
    const work = async (): Promise<void> => {
      if (stage.runs.length > 1) throw new Error('the second run fails');
    };
    await stage.start(1, [jobOf(stage, note, { work })]);
    await until('two runs', () => beats.length >= 4, 10_000);
    const [first, second] = stage.runs.map(({ tick }) => tick);
    const same = { job: stage.job, attempt: 1, instance: expect.any(String) };
    expect(beats.slice(0, 4)).toEqual([
      { ...same, tick: first, state: 'start' },
      { ...same, tick: first, state: 'success', took: expect.any(Number) },
      { ...same, tick: second, state: 'start' },
      { ...same, tick: second, state: 'failure', took: expect.any(Number), error: expect.any(Error) },
    ]);
    expect(beats[3]?.error).toMatchObject({ message: 'the second run fails' });
    expect([...scopes]).toEqual([undefined]);
  });

  test.for([
    [
      'throws',
      () => {
        throw new Error('the function is broken');
      },
    ],
    ['rejects', async () => await Promise.reject(new Error('the function is broken'))],
  ] as const)('by a function that %s is logged, and the runs go on', async ([, call], { stage }) => {
    await stage.start(1, [jobOf(stage, call)]);
    await until('it is logged', () => stage.warnings('heartbeat').length > 0, 10_000);
    expect(stage.warnings('heartbeat')[0]).toContain('(its function): the function is broken. ');
    const count = stage.runs.length;
    await until('another run', () => stage.runs.length > count + 1, 10_000);
  });

  test('is not sent for a tick that does not run, and for one by runNow() it is', async ({
    stage,
    receiver,
  }) => {
    const busy = gate();
    const [app, other] = await stage.start(2, [
      jobOf(stage, receiver.url('/p'), { work: () => busy.passed }),
    ]);
    if (app === undefined || other === undefined) throw new Error('unreachable');
    const { jobs } = locksOf(app);
    await receiver.received('/p/start');
    const recorded = async (outcome: string) =>
      (await recordsOf(stage, app)).filter((run) => run.outcome === outcome);
    await until('an overlapped tick', async () => (await recorded('overlapped')).length > 0);
    await jobs.pause(stage.job);
    busy.open();
    await receiver.received('/p');
    expect(receiver.paths).toEqual(['/p/start', '/p']);
    // No tick of the pause is reported.
    const paused = Date.now();
    await until('two ticks of the pause', () => Date.now() > paused + 2100);
    expect(receiver.paths).toEqual(['/p/start', '/p']);
    expect(await jobs.runNow(stage.job)).toBe(true);
    await receiver.received('/p', 2);
    expect(receiver.paths).toEqual(['/p/start', '/p', '/p/start', '/p']);
    expect(await recorded('completed')).toHaveLength(2);
  });

  test('is waited for by a shutdown', async ({ stage, receiver }) => {
    const busy = gate();
    receiver.answers.set('/p', 'hold');
    const [app] = await stage.start(1, [jobOf(stage, receiver.url('/p'), { work: () => busy.passed })], {
      shutdownTimeout: scaled(10_000),
    });
    await receiver.received('/p/start');
    let isClosed = false;
    const closed = app?.close().then(() => {
      isClosed = true;
    });
    busy.open();
    await receiver.received('/p');
    expect(isClosed).toBe(false);
    const answered = performance.now();
    receiver.answer();
    await closed;
    expect(performance.now() - answered).toBeLessThan(scaled(2000));
    expect(stage.warnings('heartbeat')).toEqual([]);
  });

  test('without an answer does not hold a shutdown up for longer than shutdownTimeout', async ({
    stage,
    receiver,
  }) => {
    const shutdownTimeout = 1000;
    receiver.answers.set('/p', 'hold');
    const [app] = await stage.start(1, [jobOf(stage, receiver.url('/p'))], { shutdownTimeout });
    await receiver.received('/p');
    const begun = performance.now();
    await app?.close();
    const lasted = performance.now() - begun;
    expect(lasted).toBeGreaterThan(shutdownTimeout - 200);
    expect(lasted).toBeLessThan(shutdownTimeout + scaled(1500));
    await until('it is logged', () => stage.warnings('heartbeat').length > 0, 10_000);
    expect(stage.warnings('heartbeat')[0]).toContain('the application has shut down');
  });

  test('is a failure of a run that a shutdown has aborted', async ({ stage, receiver }) => {
    const hanging = gate();
    const [app] = await stage.start(1, [jobOf(stage, receiver.url('/p'), { work: () => hanging.passed })]);
    await receiver.received('/p/start');
    await app?.close();
    const [ping] = receiver.of('/p/fail');
    expect(ping?.facts['error']).toContain(`Lock "${stage.job}"`);
    expect(receiver.of('/p')).toEqual([]);
    hanging.open();
  });

  test('of a process that was killed is its start, and then nothing', async ({ fleet, receiver }) => {
    const options = { work: 'hang', heartbeat: receiver.url('/p') } as const;
    await fleet.start(options, options);
    const { runner, tick } = await awaitRun(fleet, 'a run');
    await receiver.received('/p/start');
    await runner.kill();
    const { tick: next } = await awaitRun(fleet, 'a run of the other one', (run) => run.runner !== runner);
    await receiver.received('/p/start', 2);
    const row = (await fleet.runs('counted')).find((one) => one.tick === tick);
    expect(row?.outcome).toBe('crashed');
    expect(receiver.pings.map(({ path, facts }) => [path, facts['tick']])).toEqual([
      ['/p/start', new Date(tick).toISOString()],
      ['/p/start', new Date(next).toISOString()],
    ]);
  });

  test('is a failure of an abandoned tick, sent by the instance that records it', async ({
    fleet,
    receiver,
  }) => {
    const heartbeat = receiver.url('/p');
    const options = { work: 'hang', heartbeat, onCrash: 'retry', maxAttempts: 1, cron: NEVER } as const;
    await fleet.start(options, options);
    await fleet.schedule(0);
    const { runner, tick } = await awaitRun(fleet, 'a run');
    await receiver.received('/p/start');
    await runner.kill();
    const [ping] = await receiver.received('/p/fail', 1, 10_000);
    expect(ping?.facts).toMatchObject({
      job: 'counted',
      tick: new Date(tick).toISOString(),
      attempt: '1',
      instance: expect.stringContaining(`:${runner.pid}:`),
      error: '1 runs of the tick have crashed, and maxAttempts allows no more',
    });
    expect(ping?.facts).not.toHaveProperty('took');
    expect(receiver.paths).toEqual(['/p/start', '/p/fail']);
  });
});
