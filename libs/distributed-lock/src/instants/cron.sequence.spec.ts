import { CronTime } from 'cron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScheduleInstants } from './schedule.instants.js';
import { CronSequence } from './cron.sequence.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const DAYS = {
  'Europe/Berlin': { repeat: '2026-10-25', gap: '2026-03-29' },
  'America/New_York': { repeat: '2026-11-01', gap: '2026-03-08' },
  'Australia/Sydney': { repeat: '2026-04-05', gap: '2026-10-04' },
  'Australia/Lord_Howe': { repeat: '2026-04-05', gap: '2026-10-04' },
  'America/Sao_Paulo': { repeat: '2018-02-17', gap: '2018-11-04' },
} as const;
type Zone = keyof typeof DAYS;

/** Local clock times with their offset, of the instants on one local day. */
function onDay(expression: string, timeZone: string, day: string): string[] {
  const sequence = new CronSequence(new CronTime(expression, timeZone));
  const shown: string[] = [];
  let at = sequence.after(Date.parse(day) - 24 * HOUR);
  for (; at !== undefined && at < Date.parse(day) + 48 * HOUR; at = sequence.after(at)) {
    const local = at + sequence.zone.offsetAt(at);
    const [date, time] = new Date(local).toISOString().split('T');
    if (date === day)
      shown.push(`${time?.slice(0, 5)}${(local - at) / HOUR < 0 ? '' : '+'}${(local - at) / HOUR}`);
  }
  return shown;
}

/** The moments at which a process of cron's own timer fires, each a little late, its clock standing at that moment. */
function firesOfCron(cronTime: CronTime, start: number, end: number): number[] {
  vi.useFakeTimers({ toFake: ['Date'] });
  const fires: number[] = [];
  for (let now = start; ;) {
    vi.setSystemTime(now);
    const fire = cronTime.sendAt().toMillis();
    if (fire >= end || fire <= now) return fires;
    fires.push(fire);
    now = fire + 3;
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe('CronSequence, when the clocks are set back', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', ['02:30+2']],
    ['Europe/Berlin', '0 2 * * *', ['02:00+2']],
    ['Europe/Berlin', '0 3 * * *', ['03:00+1']],
    ['Europe/Berlin', '*/30 2 * * *', ['02:00+2', '02:30+2']],
    ['America/New_York', '30 1 * * *', ['01:30-4']],
    ['Australia/Sydney', '30 2 * * *', ['02:30+11']],
    ['Australia/Lord_Howe', '45 1 * * *', ['01:45+11']],
    ['America/Sao_Paulo', '30 23 * * *', ['23:30-2']],
  ] as const)('in %s "%s" runs once', (zone, expression, expected) => {
    expect(onDay(expression, zone, DAYS[zone].repeat)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '30 1-3 * * *', ['01:30+2', '02:30+2', '02:30+1', '03:30+1']],
    ['Europe/Berlin', '*/30 2,3 * * *', ['02:00+2', '02:30+2', '02:00+1', '02:30+1', '03:00+1', '03:30+1']],
    ['Australia/Sydney', '15 1-3 * * *', ['01:15+11', '02:15+11', '02:15+10', '03:15+10']],
    [
      'Australia/Lord_Howe',
      '*/20 1,2 * * *',
      '01:00+11 01:20+11 01:40+11 01:40+10.5 02:00+10.5 02:20+10.5 02:40+10.5'.split(' '),
    ],
  ] as const)(
    'in %s "%s", which ticks on after the repeat, runs in both passes',
    (zone, expression, expected) => {
      expect(onDay(expression, zone, DAYS[zone].repeat)).toEqual(expected);
    },
  );
});

describe('CronSequence, when the clocks are set forward', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', ['03:00+2']],
    ['Europe/Berlin', '*/10 2 * * *', ['03:00+2']],
    ['America/New_York', '30 2 * * *', ['03:00-4']],
    ['Australia/Sydney', '30 2 * * *', ['03:00+11']],
    ['Australia/Lord_Howe', '15 2 * * *', ['02:30+11']],
    ['America/Sao_Paulo', '30 0 * * *', ['01:00-2']],
  ] as const)('in %s "%s", left out, runs once at the end of the gap', (zone, expression, expected) => {
    expect(onDay(expression, zone, DAYS[zone].gap)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '30 1-3 * * *', ['01:30+1', '03:30+2']],
    ['Australia/Sydney', '15,30 2,3 * * *', ['03:15+11', '03:30+11']],
    ['Europe/Berlin', '0 2,3 * * *', ['03:00+2']],
  ] as const)(
    'in %s "%s", which ticks on after the gap, does not make up for it',
    (zone, expression, expected) => {
      expect(onDay(expression, zone, DAYS[zone].gap)).toEqual(expected);
    },
  );
});

describe('CronSequence and the timer of cron', () => {
  const expressions = [
    '30 2 * * *',
    '0 3 * * *',
    '*/20 * * * *',
    '15,40 * * * *',
    '30 1-4 * * *',
    '0 */2 * * *',
    '45 1 * * *',
  ];
  const zones = Object.keys(DAYS) as Zone[];

  it.each(zones.flatMap((zone) => expressions.map((expression) => [zone, expression] as const)))(
    'in %s each instant of "%s" has a fire that stands for it',
    (zone, expression) => {
      const cronTime = new CronTime(expression, zone);
      const { zone: offsets } = new CronSequence(cronTime);
      for (const day of Object.values(DAYS[zone])) {
        const change = offsets.changeIn(Date.parse(day) - 24 * HOUR, Date.parse(day) + 36 * HOUR)?.at ?? NaN;
        const start = change - 5 * HOUR;
        const end = change + 5 * HOUR;
        const instants = new ScheduleInstants(cronTime);
        const named = firesOfCron(cronTime, start, end).map((fire) => instants.latestAt(fire));

        expect(named).toEqual(expect.arrayContaining(instants.between(start, end - HOUR, 1000)));
      }
    },
  );

  it('gives the second 02:30 of a process that starts inside the repeated hour to the first one', () => {
    const cronTime = new CronTime('30 2 * * *', 'Europe/Berlin');
    const first = Date.UTC(2026, 9, 25, 0, 30);
    const [fire] = firesOfCron(cronTime, first + 35 * MINUTE, first + 12 * HOUR);

    expect(fire).toBe(first + HOUR);
    expect(new ScheduleInstants(cronTime).latestAt(first + HOUR)).toBe(first);
  });

  it('gives the fire an hour too early, of a job right after the repeated hour, to the day before', () => {
    const cronTime = new CronTime('0 3 * * *', 'Europe/Berlin');
    const today = Date.UTC(2026, 9, 25, 2);

    expect(firesOfCron(cronTime, today - 12 * HOUR, today + HOUR)).toEqual([today - HOUR, today]);
    expect(new ScheduleInstants(cronTime).latestAt(today - HOUR)).toBe(today - 25 * HOUR);
  });

  it('gives the fire late in a southern gap to the end of the gap', () => {
    const cronTime = new CronTime('30 2 * * *', 'Australia/Sydney');
    const end = Date.UTC(2026, 9, 3, 16);

    expect(firesOfCron(cronTime, end - 12 * HOUR, end + 2 * HOUR)).toEqual([end + HOUR / 2]);
    expect(new ScheduleInstants(cronTime).latestAt(end + HOUR / 2)).toBe(end);
  });
});
