import { Controller, Get } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, Timeout } from '@nestjs/schedule';
import { DistributedLock, UseDistributedLock, type UseDistributedLockOptions } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoorStage } from './door.stage.js';

const DAILY = '0 0 3 * * *';
/** Far enough for a test never to meet its fire. */
const LATER = 3_600_000;

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

/** What it is called, the guard, and what is said about it. */
type Guard = readonly [string, MethodDecorator, string];

describe('an application is not started with a scheduled method', () => {
  /** What every one of them is scheduled by, and guarded with. */
  const schedules: readonly (readonly [string, MethodDecorator])[] = [
    ['@Cron', Cron(DAILY)],
    ['@Interval', Interval(LATER)],
    ['@Timeout', Timeout(LATER)],
  ];
  const guards: readonly Guard[] = [
    ...(['fair', 'read', 'write', 'fenced'] as const).map((kind): Guard => [
      `kind ${kind}`,
      DistributedLock('job', { kind }) as MethodDecorator,
      `Jobs.run has a schedule, so its kind cannot be "${kind}": its ticks run under the re-entrant lock of its key.`,
    ]),
    [
      'several keys',
      DistributedLock(['job', 'other']) as MethodDecorator,
      'Jobs.run has a schedule, so its key must be one fixed name, or a function without parameters that returns one: its key is an array.',
    ],
    [
      'a function that gives several keys',
      DistributedLock(() => ['job', 'other']) as MethodDecorator,
      'Jobs.run has a schedule, so its key must be one fixed name, or a function without parameters that returns one: its key function returned an array.',
    ],
  ];

  test.each(schedules.flatMap(([by, schedule]) => guards.map((guard) => [by, ...guard, schedule] as const)))(
    'by %s with %s',
    async (_by, _with, guard, said, schedule) => {
      class Jobs {
        @schedule
        @guard
        async run(): Promise<void> {}
      }
      const booted = stage.start({ imports: [ScheduleModule.forRoot()], providers: [Jobs] });
      await expect(booted).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(said),
      });
    },
  );

  test('unless its kind is reentrant, or only a guard inside of the one that has the ticks is of another kind', async () => {
    class Jobs {
      @Cron(DAILY)
      @DistributedLock('job', { kind: 'reentrant' })
      @DistributedLock(['ledger', 'archive'], { kind: 'write' })
      async run(): Promise<void> {}
    }
    const booted = stage.start({ imports: [ScheduleModule.forRoot()], providers: [Jobs] });
    await expect(booted).resolves.toBeDefined();
  });
});

describe('an application is not started with an interceptor', () => {
  test.each([
    [
      { key: [] },
      'The key of @UseDistributedLock on Bad.get must be a name, an array of names, or a function',
    ],
    [{ key: ['a', 7] }, 'or a function, not an array with number at [1]'],
    [{ key: '' }, 'or a function, not an empty string'],
    [{}, 'or a function, not undefined'],
    [
      { key: 'a', kind: 'quorum' },
      'kind of Bad.get must be one of "reentrant", "fair", "read", "write", "fenced", not "quorum"',
    ],
  ])('with %j', async (options: object, said) => {
    @Controller()
    class Bad {
      @Get()
      @UseDistributedLock(options as UseDistributedLockOptions)
      async get() {}
    }
    await expect(stage.start({ controllers: [Bad] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(said),
    });
  });
});
