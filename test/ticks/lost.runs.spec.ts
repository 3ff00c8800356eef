import { once } from 'node:events';
import { Cron, Timeout } from '@nestjs/schedule';
import type { Provider } from '@nestjs/common';
import { currentLock, DistributedLock, LockService } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { cronOf, secondAfter } from './tick.schedule.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** The lease of a run, in ms. */
const LEASE = 900;

/** How a run loses its lock. It goes on until its signal has aborted. */
interface Loss {
  readonly lose?: (locks: LockService, job: string) => unknown;
  /** In ms. @default the module's */
  readonly maxHold?: number;
}

const LOSSES: readonly (readonly [string, Loss])[] = [
  ['whose lock was taken away', { lose: (locks, job) => locks.getLock(job).forceUnlock() }],
  ['that lasts for longer than maxHold', { maxHold: 300 }],
  ['whose process is blocked for longer than its lease', { lose: () => block(LEASE + 200) }],
];

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

interface LostJob {
  readonly loss: Loss;
  readonly onCrash: 'skip' | 'retry';
  readonly schedule: Schedule;
}

/** How it is scheduled, and the option that such a schedule needs. */
interface Schedule {
  readonly decorator: () => MethodDecorator;
  readonly minInterval?: '1h';
}

/** A job whose first run loses its lock. The attempts are noted, and how many run at a time. */
function jobOf(
  stage: FireStage,
  { loss: { lose, maxHold }, onCrash, schedule: { decorator, minInterval } }: LostJob,
) {
  const seen = { attempts: [] as (number | undefined)[], running: 0, most: 0 };
  class Job {
    constructor(private readonly locks: LockService) {}

    @decorator()
    @DistributedLock(stage.job, { onCrash, maxHold, minInterval })
    async run(): Promise<void> {
      const lock = currentLock();
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      if (seen.attempts.push(lock?.attempt) === 1) {
        await lose?.(this.locks, stage.job);
        if (lock?.signal.aborted === false) await once(lock.signal, 'abort');
      }
      seen.running -= 1;
    }
  }
  const provider: Provider = {
    provide: Job,
    useFactory: (locks: LockService) => new Job(locks),
    inject: [LockService],
  };
  return { seen, providers: [provider] };
}

/** Starts the only instance of the fleet. */
async function only(stage: FireStage, providers: readonly Provider[]): Promise<LockService> {
  const [app] = await stage.start(1, providers, { watchdog: LEASE });
  if (app === undefined) throw new Error('no application');
  return locksOf(app);
}

const AT_BOOT: Schedule = { decorator: () => Timeout(10), minInterval: '1h' };

/** Soon, and not again before the next minute. */
const SOON: Schedule = {
  decorator: () => Cron(cronOf(secondAfter(Date.now(), 1500)), { timeZone: 'UTC' }),
};

describe.each(LOSSES)('a run of the only instance %s', (_, loss) => {
  test.for([
    ['@Timeout', AT_BOOT],
    ['@Cron', SOON],
  ] as const)('is repeated under retry, by %s', async ([, schedule], { stage }) => {
    const { seen, providers } = jobOf(stage, { loss, onCrash: 'retry', schedule });
    const locks = await only(stage, providers);
    await until('a second attempt', () => seen.attempts.length > 1, 8000);
    expect(seen).toMatchObject({ attempts: [1, 2], most: 1 });
    await until('its record', async () => (await locks.getRuns(stage.job))[0]?.outcome === 'completed');
    expect(await locks.getRuns(stage.job)).toMatchObject([
      { outcome: 'completed', attempt: 2 },
      { outcome: 'crashed', attempt: 1 },
    ]);
  });

  test('is not repeated under skip', async ({ stage }) => {
    const { seen, providers } = jobOf(stage, { loss, onCrash: 'skip', schedule: AT_BOOT });
    const locks = await only(stage, providers);
    await until('the end of the run', () => seen.attempts.length > 0 && seen.running === 0);
    // What waits to be repeated would come first.
    expect(await locks.jobs.runNow(stage.job, { timeout: scaled(8000) })).toBe(true);
    await until(
      'the end of the run by hand',
      async () => (await locks.getRuns(stage.job))[0]?.outcome === 'completed',
    );
    expect(seen.attempts).toEqual([1, 1]);
  });
});
