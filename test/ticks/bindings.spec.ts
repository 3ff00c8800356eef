import { Injectable, Module, Scope, type DynamicModule, type Provider } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Cron, Interval, ScheduleModule, Timeout } from '@nestjs/schedule';
import { DistributedLock, type TickOptions } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { around } from './disguises.js';
import { fireFixtures, locksOf, registryOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { firePastDates } from './past.dates.js';

const test = base.extend<FireFixtures>(fireFixtures);
firePastDates();

const DAILY = '0 0 3 * * *';
const SECONDLY = '* * * * * *';

/** Waits for ticks, and expects each of them once, and nothing else. */
async function expectTicks(stage: FireStage, count = 2): Promise<void> {
  await until(`${count} ticks`, () => stage.runs.length >= count, 10_000);
  const ticks = stage.runs.map(({ tick }) => tick);
  expect(ticks).not.toContain(undefined);
  expect(new Set(ticks).size).toBe(ticks.length);
}

describe('an application is refused at boot, with a sentence, for', () => {
  const cases: readonly (readonly [string, (stage: FireStage) => Provider[], string, string])[] = [
    [
      'an interval above the longest time of a timer',
      ({ job }) => {
        class Job {
          @Interval(30 * 24 * 3_600_000)
          @DistributedLock(job)
          async run(): Promise<void> {}
        }
        return [Job];
      },
      'INVALID_OPTION',
      "Job.run cannot have @Interval(2592000000): Node's timers are limited to 2147483647 ms",
    ],
    ...[0, -1, Number.NaN, 0.5].map(
      (ms) =>
        [
          `an interval of ${ms} ms`,
          ({ job }: FireStage) => {
            class Job {
              @Interval(ms)
              @DistributedLock(job)
              async run(): Promise<void> {}
            }
            return [Job];
          },
          'INVALID_OPTION',
          `Job.run cannot have @Interval(${ms})`,
        ] as const,
    ),
    ...[2 ** 31, -1, Number.NaN, Infinity].map(
      (ms) =>
        [
          `a timeout of ${ms} ms`,
          ({ job }: FireStage) => {
            class Job {
              @Timeout('named', ms)
              @DistributedLock(job, { minInterval: '1h' })
              async run(): Promise<void> {}
            }
            return [Job];
          },
          'INVALID_OPTION',
          `Job.run cannot have @Timeout(${ms})`,
        ] as const,
    ),
    [
      'a Date, which each instance computes for itself',
      ({ job }) => {
        class Job {
          @Cron(new Date(Date.now() + 10_000))
          @DistributedLock(job)
          async run(): Promise<void> {}
        }
        return [Job];
      },
      'INVALID_OPTION',
      'Add minInterval',
    ],
    [
      'a provider that is made for each request',
      ({ job }) => {
        @Injectable({ scope: Scope.REQUEST })
        class Job {
          @Cron(DAILY)
          @DistributedLock(job)
          async run(): Promise<void> {}
        }
        return [Job];
      },
      'UNBOUND_SCHEDULE',
      'Job.run has a schedule that the scheduler does not run: its class is created for each request',
    ],
    [
      'a function that was bound in the constructor',
      ({ job }) => {
        class Job {
          constructor() {
            this.run = this.run.bind(this);
          }
          @Interval(60_000)
          @DistributedLock(job)
          async run(): Promise<void> {}
        }
        return [Job];
      },
      'UNBOUND_SCHEDULE',
      'the method was replaced',
    ],
    [
      'a decorator that keeps no metadata, above the schedule',
      ({ job }) => {
        class Job {
          @around(
            (method) =>
              async (...args) =>
                await Reflect.apply(method, {}, args),
          )
          @Timeout(60_000)
          @DistributedLock(job, { minInterval: '1h' })
          async run(): Promise<void> {}
        }
        return [Job];
      },
      'UNBOUND_SCHEDULE',
      'put the schedule above that decorator',
    ],
    [
      'a symbol as the name of the method',
      ({ job }) => {
        const run = Symbol('run');
        class Job {
          @Cron(DAILY)
          @DistributedLock(job)
          async [run](): Promise<void> {}
        }
        return [Job];
      },
      'UNBOUND_SCHEDULE',
      'the method has a symbol as its name',
    ],
    ...Object.entries({
      overlap: 'skip',
      onCrash: 'skip',
      maxAttempts: 2,
      catchUp: '1h',
      grace: '1s',
      maxHold: '1h',
      shared: true,
      minInterval: '1h',
      splay: '5m',
      history: 500,
      heartbeat: 'https://ping.example/uuid',
    } satisfies Required<TickOptions>).map(
      ([option, value]) =>
        [
          `${option} on a method without a schedule`,
          ({ job }: FireStage) => {
            class Job {
              @DistributedLock(job, { [option]: value })
              async run(): Promise<void> {}
            }
            return [Job];
          },
          'INVALID_OPTION',
          `Job.run has no schedule, so ${option} would have no effect`,
        ] as const,
    ),
  ];

  test.for(cases)('%s', async ([, providersOf, code, part], { stage }) => {
    await expect(stage.start(1, providersOf(stage))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(part),
    });
  });
});

describe('an application starts', () => {
  test('with a timeout of 0 ms, and the longest one', async ({ stage }) => {
    class Job {
      @Timeout(0)
      @DistributedLock(stage.job, { minInterval: '1h' })
      async run(): Promise<void> {
        stage.note();
      }

      @Timeout(2 ** 31 - 1)
      @DistributedLock(`${stage.job} late`, { minInterval: '1h' })
      async late(): Promise<void> {
        stage.note();
      }
    }
    await stage.start(2, [Job]);
    await expectTicks(stage, 1);
  });

  test('without a ScheduleModule, and logs which methods it does not run', async ({ stage }) => {
    class Worker {
      @Cron(DAILY)
      @DistributedLock(stage.job)
      async [`run ${stage.prefix}`](): Promise<void> {}
    }
    await stage.start(1, [Worker], { schedule: null });
    expect(stage.warnings('has no ScheduleModule, so no tick of Worker.run')).toHaveLength(1);
  });

  test('where a kind of schedules is turned off, and runs none of that kind', async ({ stage }) => {
    class Job {
      @Interval(50)
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }

      @Cron(SECONDLY)
      @DistributedLock(`${stage.job} cron`)
      async cron(): Promise<void> {}
    }
    const [app] = await stage.start(1, [Job], { schedule: ScheduleModule.forRoot({ intervals: false }) });
    if (app === undefined) throw new Error('unreachable');
    await until('a cron tick', async () => (await locksOf(app).getRuns(`${stage.job} cron`)).length > 0);
    expect(stage.runs).toEqual([]);
    expect(await locksOf(app).jobs.status(stage.job)).toBeUndefined();
  });

  test('with a lazily loaded module, whose schedules the scheduler does not see', async ({ stage }) => {
    class Job {
      @Cron(SECONDLY)
      @DistributedLock(stage.job)
      async run(): Promise<string> {
        stage.note();
        return 'ran';
      }
    }
    @Module({})
    class LazyModule {}
    const [app] = await stage.start(1, []);
    const lazy = await app?.get(LazyModuleLoader).load(() => ({ module: LazyModule, providers: [Job] }));
    expect(await lazy?.get(Job).run()).toBe('ran');
    expect(stage.runs.map(({ tick }) => tick)).toEqual([undefined]);
  });
});

describe.concurrent('each tick runs once in the fleet', { timeout: scaled(20_000) }, () => {
  /** A class whose `run` notes the tick, and how the application provides it. */
  type Scene = (stage: FireStage) => {
    readonly providers: Provider[];
    readonly schedule?: DynamicModule;
    readonly imports?: readonly DynamicModule[];
  };

  const jobOf = (stage: FireStage) => {
    class Job {
      @Cron(SECONDLY)
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }
    }
    return Job;
  };

  const scenes: Readonly<Record<string, Scene>> = {
    'of a class that is provided twice, in two modules': (stage) => {
      const Job = jobOf(stage);
      @Module({})
      class Other {}
      return { providers: [Job], imports: [{ module: Other, providers: [Job] }] };
    },
    'of a provider with an alias': (stage) => {
      const Job = jobOf(stage);
      return { providers: [Job, { provide: 'alias', useExisting: Job }] };
    },
    'of a provider behind a Proxy that a factory makes': (stage) => {
      const Job = jobOf(stage);
      return { providers: [{ provide: Job, useFactory: () => new Proxy(new Job(), {}) }] };
    },
    'of a provider behind a Proxy whose methods run on the object behind it': (stage) => {
      const Job = jobOf(stage);
      const job = () =>
        new Proxy(new Job(), {
          get: (behind, key) => Reflect.get(behind, key),
          set: (behind, key, value) => Reflect.set(behind, key, value),
        });
      return { providers: [{ provide: Job, useFactory: job }] };
    },
    'of a class whose constructor gives a Proxy': (stage) => {
      const Job = jobOf(stage);
      class Instrumented extends Job {
        constructor() {
          super();
          // oxlint-disable-next-line no-constructor-return -- as instrumentation does
          return new Proxy(this, {});
        }
      }
      return { providers: [Instrumented] };
    },
    'of a value': (stage) => {
      const Job = jobOf(stage);
      return { providers: [{ provide: 'value', useFactory: () => new Job() }] };
    },
    'of a subclass that inherits the method': (stage) => {
      class Child extends jobOf(stage) {}
      return { providers: [Child] };
    },
    'of an override with a schedule of its own, which calls the guarded method': (stage) => {
      class Child extends jobOf(stage) {
        @Cron(SECONDLY)
        override async run(): Promise<void> {
          await super.run();
        }
      }
      return { providers: [Child] };
    },
    'with two schedulers': (stage) => {
      const second = ScheduleModule.forRoot({ intervals: false });
      return { providers: [jobOf(stage)], imports: [second] };
    },
    'where a second decorator replaces the schedule': (stage) => {
      class Job {
        @Cron(SECONDLY)
        @Cron('0 0 0 1 1 *')
        @DistributedLock(stage.job)
        async run(): Promise<void> {
          stage.note();
        }
      }
      return { providers: [Job] };
    },
    'where the guard stands above the schedule': (stage) => {
      class Job {
        @DistributedLock(stage.job)
        @Cron(SECONDLY, { timeZone: '' })
        async run(): Promise<void> {
          stage.note();
        }
      }
      return { providers: [Job] };
    },
  };

  test.for(Object.entries(scenes))('%s', async ([, scene], { stage }) => {
    const { providers, ...options } = scene(stage);
    await stage.start(3, providers, options);
    await expectTicks(stage);
    expect(stage.lines('error')).toEqual([]);
  });

  test('of two methods that share one decorator, each its own', async ({ stage }) => {
    const every = Cron(SECONDLY);
    const seen: string[] = [];
    class Job {
      @every
      async unguarded(): Promise<void> {}

      @every
      @DistributedLock(`${stage.job} one`)
      async one(): Promise<void> {
        seen.push('one');
        stage.note();
      }

      @every
      @DistributedLock(`${stage.job} two`)
      async two(): Promise<void> {
        seen.push('two');
      }
    }
    await stage.start(3, [Job]);
    await expectTicks(stage);
    expect(seen).toContain('two');
    expect(stage.lines('error')).toEqual([]);
  });

  test('of a Date with minInterval, whichever instant each instance has computed', async ({ stage }) => {
    let late = 0;
    const jobs = [1, 2, 3].map(() => {
      late += 60;
      class Job {
        @Cron(new Date(Date.now() + 700 + late))
        @DistributedLock(stage.job, { minInterval: '1h' })
        async run(): Promise<void> {
          stage.note();
        }
      }
      return Job;
    });
    const apps = [];
    for (const Job of jobs) apps.push(...(await stage.start(1, [Job])));
    await until('a run', () => stage.runs.length > 0);
    await until('the others have asked', () => stage.lines('debug').length >= 2);
    expect(stage.runs).toHaveLength(1);
    expect(apps.map((app) => registryOf(app).getCronJobs().size)).toEqual([1, 1, 1]);
  });
});
