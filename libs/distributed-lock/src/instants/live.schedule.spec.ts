import { CronTime } from 'cron';
import { describe, expect, test } from 'vitest';
import type { CronJobLike } from './cron.job.port.js';
import { LiveSchedule } from './live.schedule.js';

const NOON = Date.parse('2026-03-03T12:00:00Z');

function jobOf(source: string | Date, zone = 'UTC'): CronJobLike & { cronTime: CronTime } {
  return {
    cronTime: new CronTime(source, zone),
    isActive: true,
    lastDate: () => undefined,
    fireOnTick: () => undefined,
    start: () => undefined,
    stop: () => undefined,
  };
}

describe('a schedule that is followed', () => {
  test('is changed where it was set to another one and back, unseen: not all instants of before were due', () => {
    const job = jobOf('0 0 * * * *');
    const schedule = new LiveSchedule(job);
    job.cronTime = new CronTime('0 0 0 1 1 *', 'UTC');
    job.cronTime = new CronTime('0 0 * * * *', 'UTC');
    expect(schedule.takeChange()).toBe(true);
    expect(schedule.byStore.latestAt(NOON + 1)).toBe(NOON);
  });

  test.each([
    ['another expression', jobOf('0 30 * * * *'), NOON - 1_800_000],
    ['another zone', jobOf('0 0 * * * *', 'Asia/Kathmandu'), NOON - 2_700_000],
    ['a date', jobOf(new Date(NOON - 5000)), NOON - 5000],
  ])('is changed by %s, once', (_, other, latest) => {
    const job = jobOf('0 0 * * * *');
    const schedule = new LiveSchedule(job);
    job.cronTime = other.cronTime;
    expect(schedule.byStore.latestAt(NOON + 1)).toBe(latest);
    expect(schedule.byWall.latestAt(NOON + 1)).toBe(latest);
    expect(schedule.takeChange()).toBe(true);
    expect(schedule.takeChange()).toBe(false);
  });
});
