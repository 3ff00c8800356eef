import { CronTime } from 'cron';
import { describe, expect, it, vi } from 'vitest';
import { ScheduleInstants } from './schedule.instants.js';
import type { CronTimeLike } from './cron.sequence.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

function cronIn(expression: string, zone: string | number): CronTime {
  return typeof zone === 'number' ? new CronTime(expression, null, zone) : new CronTime(expression, zone);
}

/** Counts the searches of cron, its only cost. */
function counted(cronTime: CronTime): CronTimeLike & { searches: number } {
  return {
    searches: 0,
    source: cronTime.source,
    timeZone: cronTime.timeZone,
    utcOffset: cronTime.utcOffset,
    getNextDateFrom(start, timeZone) {
      this.searches += 1;
      return cronTime.getNextDateFrom(start, timeZone);
    },
    toJSON: () => cronTime.toJSON(),
  };
}

describe('ScheduleInstants.latestAt', () => {
  it.each([
    ['* * * * * *', '2026-07-01T12:00:00.999Z', '2026-07-01T12:00:00Z'],
    ['* * 2 * * *', '2026-07-01T23:00:00Z', '2026-07-01T02:59:59Z'],
    ['0 0 1 1 *', '2026-12-31T23:59:59Z', '2026-01-01T00:00:00Z'],
    ['0 0 29 2 *', '2028-02-28T23:59:59Z', '2024-02-29T00:00:00Z'],
    ['0 0 29 2 *', '1904-02-28T00:00:00Z', '1896-02-29T00:00:00Z'],
    ['*/10 * * * 5', '2026-07-02T00:00:00Z', '2026-06-26T23:50:00Z'],
  ])('finds the last instant of "%s" however long ago it was', (expression, at, latest) => {
    expect(new ScheduleInstants(cronIn(expression, 'UTC')).latestAt(Date.parse(at))).toBe(Date.parse(latest));
  });

  it.each([
    ['0 0 30 2 *', 'UTC'],
    ['0 0 30,31 2 *', 'Europe/Berlin'],
    ['0 0 31 4,6,9,11 *', 'UTC'],
    ['0 0 0 31 2-2,4,6,9,11 *', -210],
  ])('has none for "%s", which never matches, without a search', (expression, zone) => {
    const cronTime = counted(cronIn(expression, zone));
    const instants = new ScheduleInstants(cronTime);

    expect(instants.latestAt(START)).toBeUndefined();
    expect(instants.nextAfter(START)).toBeUndefined();
    expect(instants.between(START, START + DAY, 5)).toEqual([]);
    expect(cronTime.searches).toBe(0);
  });

  it('has those of a weekday beside a day of the month that does not exist', () => {
    // cron takes either of the two.
    const instants = new ScheduleInstants(cronIn('0 0 31 4 1', 'UTC'));

    expect(instants.nextAfter(START)).toBe(Date.parse('2026-04-06T00:00:00Z'));
  });

  it('finds 29 February beyond 2100, eight years after the one before', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2097-01-01T00:00:00Z') });
    try {
      const instants = new ScheduleInstants(cronIn('0 0 29 2 *', 'UTC'));
      const at = Date.parse('2097-01-01T00:00:00Z');

      expect(instants.latestAt(at)).toBe(Date.parse('2096-02-29T00:00:00Z'));
      expect(instants.nextAfter(at)).toBe(Date.parse('2104-02-29T00:00:00Z'));
      expect(instants.latestAt(Date.parse('2104-02-28T00:00:00Z'))).toBe(Date.parse('2096-02-29T00:00:00Z'));
    } finally {
      vi.useRealTimers();
    }
  });

  it('follows the clock with one search of cron per instant, however often it is called', () => {
    const cronTime = counted(cronIn('* * * * * *', 'Europe/Berlin'));
    const instants = new ScheduleInstants(cronTime);
    instants.latestAt(START);
    cronTime.searches = 0;
    for (let at = START; at < START + 500 * SECOND; at += 50) {
      expect(instants.latestAt(at)).toBe(at - (at % SECOND));
      expect(instants.nextAfter(at)).toBe(at - (at % SECOND) + SECOND);
    }

    expect(cronTime.searches).toBeLessThanOrEqual(501);
  });

  it.each([
    ['* * * * * *', 90 * DAY],
    ['* * * * * *', -90 * DAY],
    ['* * 2 * * *', 10 * DAY],
    ['0 3 * * *', 400 * DAY],
    ['0 3 * * *', -400 * DAY],
  ])('answers for "%s" after a jump of %i ms without visiting what lies between', (expression, jump) => {
    const cronTime = counted(cronIn(expression, 'Europe/Berlin'));
    const instants = new ScheduleInstants(cronTime);
    instants.latestAt(START);
    cronTime.searches = 0;
    const latest = instants.latestAt(START + jump);

    expect(latest).toBe(new ScheduleInstants(cronIn(expression, 'Europe/Berlin')).latestAt(START + jump));
    expect(cronTime.searches).toBeLessThan(60);
  });

  it('does not search again for a clock that was set back by a few instants', () => {
    const cronTime = counted(cronIn('*/5 * * * *', 'Europe/Berlin'));
    const instants = new ScheduleInstants(cronTime);
    for (let at = START; at <= START + 3 * HOUR; at += 5 * MINUTE) instants.latestAt(at);
    cronTime.searches = 0;

    expect(instants.latestAt(START + HOUR + 1)).toBe(START + HOUR);
    expect(cronTime.searches).toBe(0);
  });
});

describe('ScheduleInstants.between', () => {
  const instants = new ScheduleInstants(cronIn('0 * * * *', 'UTC'));

  it('leaves out both ends', () => {
    expect(instants.between(START, START + 3 * HOUR, 10)).toEqual([START + HOUR, START + 2 * HOUR]);
    expect(instants.between(START, START + HOUR, 10)).toEqual([]);
  });

  it('stops at the limit, oldest first', () => {
    expect(instants.between(START - 1, START + 100 * DAY, 2)).toEqual([START, START + HOUR]);
    expect(instants.between(START, START + DAY, 0)).toEqual([]);
  });

  it('walks the past without losing the place of the clock', () => {
    const cronTime = counted(cronIn('0 * * * *', 'UTC'));
    const followed = new ScheduleInstants(cronTime);
    followed.latestAt(START);
    followed.between(START - 30 * DAY, START, 20);
    cronTime.searches = 0;
    followed.latestAt(START + 1);

    expect(cronTime.searches).toBe(0);
  });
});

describe('ScheduleInstants of a single date', () => {
  const date = START + 123;
  const instants = new ScheduleInstants(new CronTime(new Date(date), 'Europe/Berlin'));

  it('has that instant, to the millisecond, and no other', () => {
    expect(instants.latestAt(date - 1)).toBeUndefined();
    expect(instants.latestAt(date)).toBe(date);
    expect(instants.latestAt(date + 100 * DAY)).toBe(date);
    expect(instants.nextAfter(date - 1)).toBe(date);
    expect(instants.nextAfter(date)).toBeUndefined();
    expect(instants.between(START, START + DAY, 5)).toEqual([date]);
    expect(instants.between(date, START + DAY, 5)).toEqual([]);
  });
});

describe('ScheduleInstants.fingerprint', () => {
  const of = (cronTime: CronTime): string => new ScheduleInstants(cronTime).fingerprint;

  it('differs by expression, zone, offset and date', () => {
    const texts = [
      of(cronIn('0 3 * * *', 'UTC')),
      of(cronIn('0 4 * * *', 'UTC')),
      of(cronIn('0 3 * * *', 'Europe/Berlin')),
      of(cronIn('0 3 * * *', 60)),
      of(new CronTime(new Date(START), 'UTC')),
      of(new CronTime(new Date(START + 1), 'UTC')),
    ];

    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is the same for one schedule written twice', () => {
    expect(of(cronIn('0 3  * * * ', 'UTC'))).toBe('0 3 * * * [UTC]');
    expect(of(cronIn('0 3 * * *', 0))).toBe('0 3 * * * [UTC]');
    expect(of(new CronTime('0 3 * * *'))).toContain(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });
});
