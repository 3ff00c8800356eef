import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { CronTime } from 'cron';
import { currentLock, DistributedLock, DistributedLockModule } from 'nestjs-distributed-lock';
import { expect, inject, test, vi } from 'vitest';
import { uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';

/** cron's decorator hands on more than it declares. */
const ON_INIT = { runOnInit: true, timeZone: 'UTC' };

test('a cron job whose instant passes while it is made fires a tick, and no direct call', async () => {
  const ran: (number | undefined)[] = [];
  class Late {
    @Cron('0 0 3 * * *')
    @DistributedLock('late')
    async late(): Promise<void> {
      ran.push(1);
    }

    @Cron('0 0 4 * * *', ON_INIT)
    @DistributedLock('on init')
    async onInit(): Promise<void> {
      ran.push(currentLock()?.tick);
    }
  }
  const locks = { redis: inject('redisUrl'), namePrefix: uniquePrefix() };
  const app = await Test.createTestingModule({
    imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot(locks)],
    providers: [Late],
  }).compile();
  app.useLogger(false);
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(CronTime.prototype, 'getTimeout').mockReturnValueOnce(-30);
  try {
    await app.init();
    await until('the run on init', () => ran.length > 0);
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('Executing immediately'));
  } finally {
    vi.restoreAllMocks();
    // Waits for what is under way.
    await app.close();
  }
  expect(ran).toEqual([undefined]);
});

test('a cron job that runs on init is called once, as the direct call that init requests, though its instant passes meanwhile', async () => {
  const ran: (number | undefined)[] = [];
  class Late {
    @Cron('0 0 4 * * *', ON_INIT)
    @DistributedLock('late on init')
    async onInit(): Promise<void> {
      ran.push(currentLock()?.tick);
    }
  }
  const locks = { redis: inject('redisUrl'), namePrefix: uniquePrefix() };
  const app = await Test.createTestingModule({
    imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot(locks)],
    providers: [Late],
  }).compile();
  const errors: unknown[] = [];
  app.useLogger({ log: () => undefined, warn: () => undefined, error: (error) => errors.push(error) });
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(CronTime.prototype, 'getTimeout').mockReturnValueOnce(-30);
  try {
    await app.init();
    await until('the run on init', () => ran.length > 0);
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('Executing immediately'));
  } finally {
    vi.restoreAllMocks();
    await app.close();
  }
  expect([ran, errors]).toEqual([[undefined], []]);
});
