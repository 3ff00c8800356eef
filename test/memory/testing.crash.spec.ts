import { Injectable } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { afterEach, describe, expect, test } from 'vitest';
import {
  DistributedLockTestingModule,
  LockTestingControl,
  MemoryStore,
} from '../../libs/distributed-lock/src/testing/index.js';
import { until } from '../support/until.js';
import { TestingApps } from './testing.apps.js';

@Injectable()
class Reports {
  /** Of all instances. */
  static attempts: string[] = [];
  /** What the next runs do. */
  static works: ((control: LockTestingControl) => Promise<unknown>)[] = [];

  constructor(private readonly control: LockTestingControl) {}

  @Cron('0 3 * * *', { timeZone: 'UTC' })
  @DistributedLock('skipped')
  async skipped(): Promise<void> {
    await this.#run('skipped');
  }

  @Cron('0 3 * * *', { timeZone: 'UTC' })
  @DistributedLock('retried', { onCrash: 'retry', maxAttempts: 2 })
  async retried(): Promise<void> {
    await this.#run('retried');
  }

  async #run(job: string): Promise<void> {
    Reports.attempts.push(`${job} ${currentLock()?.attempt}`);
    await Reports.works.shift()?.(this.control);
  }
}

const apps = new TestingApps();
afterEach(async () => {
  await apps.closeAll();
  Reports.attempts = [];
  Reports.works = [];
});

async function instanceOn(store: MemoryStore) {
  return await apps.open({
    imports: [
      ScheduleModule.forRoot(),
      DistributedLockTestingModule.forRoot({ store, shutdownTimeout: 100 }),
    ],
    providers: [Reports],
  });
}

function crash(job: string) {
  Reports.works.push((control) => control.loseLock(job));
}

describe('advanceTick after a run that has crashed', () => {
  test('with skip, it runs the next tick', async () => {
    const { control, locks } = await instanceOn(new MemoryStore());
    crash('skipped');
    const [crashed] = await control.advanceTick('skipped');
    const [next] = await control.advanceTick('skipped');
    expect(next?.tick.getTime()).toBe(Number(crashed?.tick) + 86_400_000);
    expect(Reports.attempts).toEqual(['skipped 1', 'skipped 1']);
    expect(await locks.getRuns('skipped')).toMatchObject([
      { outcome: 'completed', tick: Number(next?.tick) },
      { outcome: 'crashed', tick: Number(crashed?.tick) },
    ]);
  });

  test('with retry, it repeats the run on one of the instances, and then runs the next tick', async () => {
    const store = new MemoryStore();
    const [one, two] = [await instanceOn(store), await instanceOn(store)];
    crash('retried');
    const [crashed] = await one.control.advanceTick('retried');
    const [repeated] = await two.control.advanceTick('retried');
    expect(repeated).toEqual({ job: 'retried', tick: crashed?.tick, ran: true, verdict: 'granted' });
    expect(Reports.attempts).toEqual(['retried 1', 'retried 2']);
    expect(await one.locks.getRuns('retried')).toMatchObject([
      { outcome: 'completed', attempt: 2, tick: Number(crashed?.tick) },
      { outcome: 'crashed', attempt: 1, tick: Number(crashed?.tick) },
    ]);

    const [next] = await one.control.advanceTick('retried');
    expect(next?.tick.getTime()).toBe(Number(crashed?.tick) + 86_400_000);
    expect(Reports.attempts).toEqual(['retried 1', 'retried 2', 'retried 1']);
  });

  test('with retry, a run that has crashed too often is abandoned', async () => {
    const { control, locks } = await instanceOn(new MemoryStore());
    crash('retried');
    crash('retried');
    await control.advanceTick('retried');
    await control.advanceTick('retried');
    const [next] = await control.advanceTick('retried');
    expect(Reports.attempts).toEqual(['retried 1', 'retried 2', 'retried 1']);
    expect(await locks.getRuns('retried')).toMatchObject([
      { outcome: 'completed', tick: Number(next?.tick) },
      { outcome: 'abandoned', attempt: 2 },
      { outcome: 'crashed', attempt: 1 },
    ]);
  });

  test('with retry, an error of the repeated run is the error of the call', async () => {
    const { control } = await instanceOn(new MemoryStore());
    crash('retried');
    Reports.works.push(() => Promise.reject(new Error('no paper')));
    await control.advanceTick('retried');
    await expect(control.advanceTick('retried')).rejects.toThrow('no paper');
    expect(Reports.attempts).toEqual(['retried 1', 'retried 2']);
  });

  test('a paused job repeats it after the pause', async () => {
    const { control, locks } = await instanceOn(new MemoryStore());
    crash('retried');
    const [crashed] = await control.advanceTick('retried');
    await locks.jobs.pause('retried');
    expect(await control.advanceTick('retried')).toMatchObject([{ ran: false, verdict: 'paused' }]);
    await locks.jobs.resume('retried');
    await until('it is repeated', () => Reports.attempts.length > 1);
    expect(Reports.attempts).toEqual(['retried 1', 'retried 2']);
    expect(await locks.getRuns('retried')).toMatchObject([
      { outcome: 'completed', attempt: 2, tick: Number(crashed?.tick) },
      { outcome: 'crashed', attempt: 1 },
      { outcome: 'paused' },
    ]);
  });
});

test('with retry, a run that a shutdown has stopped is continued by another instance', async () => {
  const store = new MemoryStore();
  const one = await instanceOn(store);
  const running = new Promise<void>((begun) => {
    Reports.works.push(async () => {
      begun();
      await new Promise((aborted) => currentLock()?.signal.addEventListener('abort', aborted));
    });
  });
  const advanced = one.control.advanceTick('retried');
  await running;
  const two = await instanceOn(store);
  await apps.close(one.app);
  const [first] = await advanced;
  await until('it is continued', () => Reports.attempts.length > 1);
  expect(Reports.attempts).toEqual(['retried 1', 'retried 2']);
  expect(await two.locks.getRuns('retried')).toMatchObject([
    { outcome: 'completed', attempt: 2, tick: Number(first?.tick) },
    { outcome: 'handed-over', attempt: 1 },
  ]);
});
