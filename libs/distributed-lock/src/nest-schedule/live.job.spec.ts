import { CronJob } from 'cron';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LiveJob } from './live.job.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a fire of a cron job', () => {
  test('is by hand only where the user has called it', () => {
    vi.useFakeTimers();
    const fires: boolean[] = [];
    const job = new CronJob('* * * * * *', () => void fires.push(live.isByHand));
    const live = new LiveJob(job);
    job.start();
    vi.advanceTimersByTime(1000);
    void job.fireOnTick();
    vi.advanceTimersByTime(1000);
    void job.fireOnTick();
    void job.stop();
    expect(fires).toEqual([false, true, false, true]);
  });

  // An alarm that comes just before the next instant: cron sets the next one for a moment that has passed by then, fires it at once, and
  // then fires the alarm itself, without a new time.
  test('is not by hand where the alarm of the next instant has come in between', () => {
    vi.useFakeTimers();
    vi.spyOn(console, 'warn').mockReturnValue();
    const fires: boolean[] = [];
    const job = new CronJob('* * * * * *', () => void fires.push(live.isByHand));
    const live = new LiveJob(job);
    job.start();
    vi.spyOn(job.cronTime, 'getTimeout').mockReturnValueOnce(-30);
    vi.advanceTimersByTime(1000);
    expect(fires).toEqual([false, false]);
    void job.fireOnTick();
    vi.advanceTimersByTime(1000);
    void job.stop();
    expect(fires).toEqual([false, false, true, false]);
  });
});
