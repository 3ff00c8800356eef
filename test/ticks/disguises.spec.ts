import { Injectable } from '@nestjs/common';
import { Cron, Interval, Timeout } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { DISGUISES } from './disguises.js';
import { fireFixtures, type FireFixtures, type FireStage } from './fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

const DOORS = {
  cron: { schedule: Cron('* * * * * *'), options: {}, runs: 3 },
  interval: { schedule: Interval(700), options: {}, runs: 3 },
  timeout: { schedule: Timeout(300), options: { minInterval: '1h' }, runs: 1 },
} as const;

const CASES = Object.entries(DOORS).flatMap(([door, plan]) =>
  Object.entries(DISGUISES).map(([name, disguise]) => [door, name, plan, disguise] as const),
);

/** How much shorter than its period the time between two runs of an interval may be, in ms. */
const TOLERANCE = 100;

describe.concurrent('a fire that reaches its guard through', { timeout: scaled(40_000) }, () => {
  test.for(CASES)(
    '%s / %s is the tick, on one of three instances',
    async ([door, , plan, disguise], { stage }) => {
      const { schedule, options, runs } = plan;
      @Injectable()
      class Job {
        @schedule
        @disguise
        @DistributedLock(stage.job, options)
        async run(): Promise<void> {
          stage.note();
        }
      }
      await stage.start(3, [Job]);
      await until(`${runs} runs`, () => stage.runs.length >= runs, 15_000);
      // What the other instances fire for the same tick is not to run it again.
      if (door === 'timeout') await until('all fires', () => ended(stage) >= 2, 10_000);
      expect(stage.runs.filter(({ tick }) => tick === undefined)).toEqual([]);
      const ticks = stage.runs.map(({ tick }) => tick ?? 0);
      expect(new Set(ticks).size).toBe(ticks.length);
      const gaps = door === 'interval' ? ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0)) : [];
      expect(gaps.filter((gap) => gap < 700 - TOLERANCE)).toEqual([]);
      expect(stage.lines('error')).toEqual([]);
      expect(stage.warnings('did not reach @DistributedLock')).toEqual([]);
    },
  );
});

/** Instances that have said that another one has the tick, or that it is too early for it. */
function ended(stage: FireStage): number {
  return stage.lines('debug').filter((text) => text.includes('does not run on this instance')).length;
}
