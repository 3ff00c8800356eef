import { Injectable, Module } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { expect, inject, test } from 'vitest';
import { uniquePrefix } from '../support/services.js';

let calls = 0;

/** Keeps every call to itself, as a switch for a feature would; the scheduler's metadata goes on. */
function Kept(_: object, __: string, descriptor: PropertyDescriptor): PropertyDescriptor {
  const inner: object = descriptor.value;
  const outer = () => {
    calls += 1;
    return Promise.resolve();
  };
  for (const key of Reflect.getMetadataKeys(inner))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, inner), outer);
  return { ...descriptor, value: outer };
}

test.each(['skip', 'retry'] as const)(
  'a run that a decorator around the guard keeps from beginning has failed, and is not tried without end (%s)',
  async (onCrash) => {
    @Injectable()
    class Jobs {
      @Cron('0 0 1 1 *')
      @Kept
      @DistributedLock('kept', { onCrash })
      async run(): Promise<void> {}
    }
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis: inject('redisUrl'), namePrefix: uniquePrefix() }),
      ],
      providers: [Jobs],
    })
    class App {}
    calls = 0;
    const app = await Test.createTestingModule({ imports: [App] }).compile();
    await app.init();
    const { jobs } = app.get(LockService);
    expect(await jobs.runNow('kept')).toBe(false);
    // Asked a second time, it is tried again: nothing of the first is under way.
    expect(await jobs.runNow('kept')).toBe(false);
    await app.close();
    expect(calls).toBe(2);
  },
);
