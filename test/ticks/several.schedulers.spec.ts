import { Cron, Interval, ScheduleModule } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, type FireFixtures, type FireStage } from './fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

const SECONDLY = '* * * * * *';

/** Each tick that ran more than once, and each run that was no tick. */
function faultsOf({ runs }: FireStage): (number | undefined)[] {
  const ticks = runs.map(({ tick }) => tick);
  return ticks.filter((tick, index) => tick === undefined || ticks.indexOf(tick) !== index);
}

/** Two applications with two schedulers each. @returns what went wrong in three ticks */
async function faultsOfTwins(
  stage: FireStage,
  options: { readonly name?: string },
): Promise<(number | undefined)[]> {
  class Job {
    @Cron(SECONDLY, options)
    @DistributedLock(stage.job)
    async run(): Promise<void> {
      stage.note();
    }
  }
  await stage.start(2, [Job], { imports: [ScheduleModule.forRoot()] });
  await until('three ticks', () => stage.runs.length >= 3, 10_000);
  return faultsOf(stage);
}

describe.concurrent(
  'ScheduleModule.forRoot() in two modules, which fires each job twice',
  { timeout: scaled(20_000) },
  () => {
    test('runs a job without a name once for each tick', async ({ stage }) => {
      expect(await faultsOfTwins(stage, {})).toEqual([]);
    });

    test('runs a job with a name once for each tick', async ({ stage }) => {
      expect(await faultsOfTwins(stage, { name: 'nightly' })).toEqual([]);
    });

    test('runs an interval once for each time', async ({ stage }) => {
      class Job {
        @Interval(500)
        @DistributedLock(stage.job)
        async run(): Promise<void> {
          stage.note();
        }
      }
      await stage.start(2, [Job], { imports: [ScheduleModule.forRoot()] });
      await until('four runs', () => stage.runs.length >= 4, 10_000);
      const gaps = stage.runs.slice(1).map(({ at }, index) => at - (stage.runs[index]?.at ?? 0));
      // One of the same time would come at once.
      expect(Math.min(...gaps)).toBeGreaterThan(100);
    });
  },
);

describe.concurrent(
  'two applications of one class in one process, as a hot reload leaves them',
  { timeout: scaled(20_000) },
  () => {
    test('share the ticks, also when the first one is closed', async ({ stage }) => {
      let made = 0;
      const by: number[] = [];
      class Job {
        readonly number = (made += 1);

        @Cron(SECONDLY, { name: 'nightly' })
        @DistributedLock(stage.job)
        async run(): Promise<void> {
          by.push(this.number);
          stage.note();
        }
      }
      const [first] = await stage.start(1, [Job]);
      await until('a tick of the first application', () => stage.runs.length >= 1, 10_000);
      await stage.start(1, [Job]);
      const count = stage.runs.length;
      await until('two ticks of both', () => stage.runs.length >= count + 2, 10_000);
      await first?.close();
      const closed = stage.runs.length;
      await until('two ticks of the second application', () => stage.runs.length >= closed + 2, 10_000);
      expect(faultsOf(stage)).toEqual([]);
      expect(new Set(by.slice(closed))).toEqual(new Set([2]));
    });
  },
);
