import { afterEach, beforeEach, expect, test } from 'vitest';
import { scaled } from '../../support/slowness.js';
import { until } from '../../support/until.js';
import { DegradedApp, logged } from './degraded.app.js';
import { DegradedStage } from './degraded.stage.js';
import * as states from './redis.states.js';
import { RepeatedCalls } from './repeated.calls.js';

/** How long Redis is away, in ms. */
const AWAY = 5000;
/** Fifty attempts a second, in ms. */
const PAUSE = 20;
/** At least so many of them are made, whatever else the machine does. */
const ATTEMPTS = 50;

let stage: DegradedStage;
let app: DegradedApp;
beforeEach(async () => {
  stage = await DegradedStage.open(states.down.args);
  app = await DegradedApp.start('log', states.down.source(stage));
});
afterEach(async () => {
  await app.close();
  await stage.close();
});

test(
  'while Redis is away for 5 s the log has one line each for the outage, for refused requests, and for ticks that are not run',
  { timeout: scaled(60_000) },
  async () => {
    await app.ticked();
    logged.splice(0);
    await states.down.begin(stage);
    const start = performance.now();
    const calls = [
      new RepeatedCalls(async () => (await fetch(`${app.url}/guarded`)).status, PAUSE),
      new RepeatedCalls(() => app.locks.getLock('try:log').tryLock(), PAUSE),
    ];
    const ended = () => calls.flatMap((each) => each.between(start, Infinity)).length;
    await until(
      'that has lasted',
      () => performance.now() - start > AWAY && ended() > ATTEMPTS,
      AWAY + 15_000,
    );
    const lines = logged.toSorted();
    await states.down.end(stage);
    await Promise.all(calls.map((each) => each.stop()));
    const attempts = calls.flatMap(({ endings }) => endings);
    const refused = attempts.filter(({ how }) => how === '503' || how === 'UNAVAILABLE');
    console.log(`${refused.length} attempts refused, lines in the log:\n${lines.join('\n')}`);
    expect(refused.length).toBeGreaterThan(ATTEMPTS / 2);
    expect(lines).toEqual([
      expect.stringMatching(
        /^error: A tick of job "job:log" could not be claimed: .*does not run the tick\.$/,
      ),
      expect.stringMatching(/^error: Redis is unavailable for "desk:log": .*without its lock\.$/),
      expect.stringMatching(/^warn: Redis at localhost:\d+ is unavailable: .*ECONNREFUSED/),
    ]);
  },
);
