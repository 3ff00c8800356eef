import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { LoopLag } from '../../support/faults/loop.lag.js';
import { scaled } from '../../support/slowness.js';
import { until } from '../../support/until.js';
import { DegradedStage } from './degraded.stage.js';
import { DeskProcess } from './desk.process.js';
import { DeskTraffic, type Served } from './desk.traffic.js';

const RATE = 200;
const INSTANCES = 2;
/** Of the guarded handlers together. */
const LOCKS = 9;
/** How long Redis is there, away, and there again, in ms. */
const SPANS = { before: 1500, away: 2000, after: 3000 };
/** The longest wait of a handler, and two round trips by their default deadline, in ms: work that was under way has to unlock. */
const BOUND = 200 + 2 * 1000;

const lag = new LoopLag();
afterAll(() => lag.stop());

let stage: DegradedStage;
let desks: DeskProcess[] = [];
beforeEach(() => {
  desks = [];
});
afterEach(async () => {
  await Promise.all(desks.map((desk) => desk.kill()));
  await stage.close();
});

const passed = async (ms: number) => {
  const start = performance.now();
  await until(`${ms} ms are over`, () => performance.now() - start >= ms, ms + 5000);
};

test.each([
  ['empty', ['--appendonly', 'no']],
  ['with its data', ['--appendonly', 'yes', '--appendfsync', 'always']],
])(
  `an application with ${RATE} requests per second outlives a kill -9 of Redis, which comes back %s`,
  { timeout: scaled(60_000) },
  async (how, args) => {
    stage = await DegradedStage.open(args);
    const settings = { redis: `redis://127.0.0.1:${stage.port}`, folder: stage.folder };
    desks = Array.from({ length: INSTANCES }, () => new DeskProcess(settings));
    await Promise.all(desks.map((desk) => desk.ready()));
    const traffic = new DeskTraffic(
      desks.map(({ url }) => url),
      RATE,
    );
    await passed(SPANS.before);
    const killed = performance.now();
    await stage.kill();
    await passed(SPANS.away);
    await stage.start(args);
    const back = performance.now();
    await passed(SPANS.after);
    await traffic.stop();

    const statuses: Record<string, number> = {};
    for (const { how: status, isGuarded } of traffic.served) {
      const kind = `${isGuarded ? 'guarded' : 'free'} ${status}`;
      statuses[kind] = (statuses[kind] ?? 0) + 1;
    }
    const recovery = desks.map((_, instance) => traffic.firstServed(instance, back) - back);
    const free = traffic.served.filter(({ isGuarded }) => !isGuarded);
    const slowestOf = (some: readonly Served[]) => Math.max(...some.map(({ took }) => took));
    const slowest = slowestOf(free);
    const before = slowestOf(free.filter(({ at, took }) => at + took < killed));
    console.log(
      `${traffic.served.length} requests (${JSON.stringify(statuses)}), Redis ${how} after ${(back - killed).toFixed(0)} ms; ` +
        `${desks.filter(({ hasEnded }) => hasEnded).length} crashes, ${desks.flatMap(({ troubles }) => troubles).length} unlocked runs; ` +
        `served under a lock again after ${recovery.map((ms) => ms.toFixed(0)).join(' and ')} ms; ` +
        `slowest without a lock ${slowest.toFixed(0)} ms (${before.toFixed(0)} before); late by themselves ${lag.worst.toFixed(0)}, ${desks.map((desk) => desk.lag.toFixed(0)).join(', ')} ms; lines in the log: ${desks.map(({ lines }) => lines.length).join(' and ')}`,
    );
    expect(desks.filter(({ hasEnded }) => hasEnded)).toEqual([]);
    expect(desks.flatMap(({ troubles }) => troubles)).toEqual([]);
    expect(free.filter(({ how: status }) => status !== '200')).toEqual([]);
    // What the processes are late by themselves, on a machine that has other things to do, is not the library's.
    const late = 2 * (lag.worst + Math.max(...desks.map((desk) => desk.lag)));
    expect(slowest).toBeLessThan(Math.max(scaled(500), 3 * before) + late);
    const guarded = traffic.served.filter(({ isGuarded }) => isGuarded);
    expect(guarded.filter(({ how: status }) => !['200', '423', '503'].includes(status))).toEqual([]);
    expect(Math.max(...guarded.map(({ took }) => took))).toBeLessThan(BOUND + scaled(1000) + late);
    // The test saw what it is about: locks were granted, then they could not be, and all that time some were asked for.
    expect(traffic.guarded('503').length).toBeGreaterThan(RATE / 10);
    expect(traffic.guarded('200').filter(({ at }) => at < killed).length).toBeGreaterThan(RATE / 10);
    for (const ms of recovery) expect(ms).toBeLessThan(scaled(2000) + late);
    // In 10 s one line that Redis is away, one for what all requests meet, and one for each lock that was held when it went.
    const times = 1 + Math.floor((performance.now() - killed) / 10_000);
    for (const { lines } of desks) {
      expect(lines.filter((line) => line.includes('is unavailable for "')).length).toBeLessThanOrEqual(times);
      expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(2 * times + LOCKS);
      expect(lines).not.toEqual([]);
    }
  },
);
