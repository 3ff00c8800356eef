import { CronTime } from 'cron';
import { describe, expect, test } from 'vitest';
import { ScheduleInstants } from './schedule.instants.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** 2026-03-01T00:00:00Z */
const START = Date.UTC(2026, 2, 1);

const of = (source: string, zone = 'UTC') => new ScheduleInstants(new CronTime(source, zone));

describe('the number of instants of a span', () => {
  test.each([
    ['* * * * * *', 10_000, 10],
    ['* * * * * *', 7 * DAY, 604_800],
    ['*/5 * * * *', 365 * DAY, 105_120],
    ['0 3 * * *', 30 * DAY, 30],
    ['0 0 29 2 *', 4 * 366 * DAY, 1],
  ])('of "%s" in %i ms is %i', (source, span, count) => {
    const instants = of(source);
    const last = instants.latestAt(START + span) ?? 0;
    expect(instants.count(START, last)).toBe(count);
  });

  test('counts neither its beginning nor what is behind its end', () => {
    const instants = of('* * * * *');
    expect(instants.count(START, START)).toBe(0);
    expect(instants.count(START, START + 60_000)).toBe(1);
    expect(instants.count(START - 1, START + 60_000)).toBe(2);
  });

  test('is unknown for many instants at different distances', () => {
    const instants = of('0,7 * * * *');
    expect(instants.count(START, instants.latestAt(START + DAY) ?? 0)).toBe(48);
    expect(instants.count(START, instants.latestAt(START + 100 * DAY) ?? 0)).toBeUndefined();
  });

  test.each(['* 9-17 * * *', '*/5 * * * 1-5', '* * 1-7 * *', '* 0-58 * * * *', '*/10 0-54 * * * *'])(
    'is unknown for many instants of "%s", which leaves out some time that was not visited',
    (source) => {
      const instants = of(source);
      const begin = instants.latestAt(START + 9 * HOUR) ?? 0;
      expect(instants.count(begin, instants.latestAt(START + 40 * DAY) ?? 0)).toBeUndefined();
    },
  );
});
