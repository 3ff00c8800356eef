import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { TickPolicies } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import type { TickAnswer } from '../../libs/distributed-lock/src/ticks/tick.claim.js';
import { Services } from '../support/services.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { instants } from './bare.instants.js';

/** The tick that is claimed, epoch ms: a second ago, and the last of its schedule, so that it is not too late. */
const TICK = Date.now() - 1000;
const SKIP: TickPolicies = { onCrash: 'skip', overlap: 'skip', grace: 60_000 };

let proxy: TcpProxy;
let services: Services;
beforeEach(async () => {
  proxy = await TcpProxy.open(Number(new URL(inject('redisUrl')).port));
  services = new Services();
});
afterEach(async () => {
  await services.close();
  await proxy.close();
});

/** Two instances, one of them behind the proxy; the job is known to both. */
async function twoInstances() {
  const [leaving, other] = [await services.open({}, proxy.url), await services.open()];
  await other.ticks.jobs.register(
    'job',
    'once',
    instants(() => TICK - 1000),
  );
  const claim = () => leaving.ticks.claim('job', { mode: 'cron', tick: TICK, policies: SKIP });
  const again = () => other.ticks.claim('job', { mode: 'again', tick: 0, policies: SKIP });
  return { leaving, other, claim, again };
}

/** Runs what was given back, and reads what is recorded of it. */
async function runAgain(again: () => Promise<TickAnswer>): Promise<(number | undefined)[]> {
  let answer = await again();
  await until('the tick is given back', async () => {
    if (answer.kind !== 'granted') answer = await again();
    return answer.kind === 'granted';
  });
  if (answer.kind !== 'granted') return [];
  return (await answer.run((lock) => [lock.tick, lock.attempt])) ?? [];
}

test('a grant that arrives when the application shuts down is run elsewhere, as the same attempt', async () => {
  const { leaving, other, claim, again } = await twoInstances();
  proxy.judge(({ words }) => {
    // The reply is on its way when the application begins to shut down.
    if (words.includes(`${TICK}`)) return { answered: async () => leaving.refuseTicks() };
    return 'pass';
  });
  expect(await claim()).toEqual({ kind: 'refused' });
  expect(await runAgain(again)).toEqual([TICK, 1]);
  expect(await other.getRuns('job')).toMatchObject([{ tick: TICK, outcome: 'completed', attempt: 1 }]);
});

test('a granted tick whose work does not begin before the shutdown is run elsewhere', async () => {
  const { leaving, claim, again } = await twoInstances();
  const answer = await claim();
  leaving.refuseTicks();
  let began = false;
  const run = async () => (answer.kind === 'granted' ? await answer.run(() => (began = true)) : answer.kind);
  expect(await run()).toBeUndefined();
  expect(began).toBe(false);
  expect(await runAgain(again)).toEqual([TICK, 1]);
});

test('a granted tick that had not begun when the application has shut down is run elsewhere', async () => {
  const { leaving, claim, again } = await twoInstances();
  expect((await claim()).kind).toBe('granted');
  await leaving.shutDown();
  expect(await runAgain(again)).toEqual([TICK, 1]);
});

test('a claim whose answer is lost while the application shuts down leaves the tick to others', async () => {
  const { leaving, claim, again } = await twoInstances();
  let isCut = false;
  proxy.judge(({ words }) => {
    if (!words.includes(`${TICK}`)) return 'pass';
    return {
      answered: () => {
        if (isCut) return 'pass';
        isCut = true;
        leaving.refuseTicks();
        return 'cut';
      },
    };
  });
  expect(await claim()).toEqual({ kind: 'refused' });
  expect(await runAgain(again)).toEqual([TICK, 1]);
});

test('the work of runOnce is not run elsewhere: what a shutdown keeps from beginning is recorded as failed', async () => {
  const { leaving, other, again } = await twoInstances();
  proxy.judge(({ words }) =>
    words.includes('instant') ? { answered: async () => leaving.refuseTicks() } : 'pass',
  );
  expect(await leaving.runOnce('job', TICK, () => 'here')).toBeUndefined();
  expect((await again()).kind).toBe('taken');
  const [row] = await other.getRuns('job');
  expect(row).toMatchObject({
    tick: TICK,
    outcome: 'failed',
    reason: expect.stringContaining('did not begin'),
  });
});

test.each([
  ['retry', 'handed-over', 'granted'],
  ['skip', 'failed', 'taken'],
] as const)('work that ignores the end of the application is %s: %s', async (onCrash, outcome, next) => {
  const leaving = await services.open({ shutdownTimeout: 0 });
  const other = await services.open();
  await other.ticks.jobs.register(
    'job',
    'once',
    instants(() => TICK - 1000),
  );
  const policies = { ...SKIP, onCrash };
  const answer = await leaving.ticks.claim('job', { mode: 'cron', tick: TICK, policies });
  let end: () => void = () => undefined;
  const work = new Promise<void>((resolve) => (end = resolve));
  const running = answer.kind === 'granted' ? answer.run(() => work) : undefined;
  await leaving.shutDown();
  const [row] = await other.getRuns('job');
  expect(row).toMatchObject({ tick: TICK, outcome, attempt: 1 });
  expect((await other.ticks.claim('job', { mode: 'again', tick: 0, policies })).kind).toBe(next);
  end();
  await running;
});
