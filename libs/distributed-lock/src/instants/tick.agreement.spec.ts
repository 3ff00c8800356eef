import { CronTime } from 'cron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScheduleInstants } from './schedule.instants.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

/** mulberry32: the same run every time, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const ZONES: [string | number, ...(string | number)[]] = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'UTC',
  -210,
  330,
];

/** Instants at which one of these zones sets its clocks in 2026, and two of the year when Brazil last did. */
const CHANGES = [
  '2026-10-25T01',
  '2026-03-29T01',
  '2026-11-01T06',
  '2026-03-08T07',
  '2026-04-04T16',
  '2026-10-03T16',
]
  .concat(['2026-04-04T15', '2018-02-18T02', '2018-11-04T03'])
  .map((hour) => Date.parse(`${hour}:00Z`));

function cronIn(expression: string, zone: string | number): CronTime {
  return typeof zone === 'number' ? new CronTime(expression, null, zone) : new CronTime(expression, zone);
}

function pick<T>(items: readonly [T, ...T[]], below: (below: number) => number): T {
  return items[below(items.length)] ?? items[0];
}

function anyExpression(below: (below: number) => number): string {
  const second = pick(['', '', '', '*/7 ', `${below(60)} `], below);
  const minute = pick(
    ['*', '*/5', '0', '30', `${below(60)}`, `${below(30)},${30 + below(30)}`, '0-20'],
    below,
  );
  const hour = pick(['*', '*/2', '0', '1', '2', '3', '23', `${below(24)}`, '1-4', '0,2,12'], below);
  const day = pick(['* * *', '* * *', '* * *', '* * 0', '* * 1-5', '1 * *', `${1 + below(28)} * *`], below);
  return `${second}${minute} ${hour} ${day}`;
}

/** Half of the moments lie within hours of a change of the clocks. */
function anyMoment(below: (below: number) => number): number {
  const near = CHANGES[below(CHANGES.length)] ?? START;
  return below(2) === 0 ? near - 4 * HOUR + below(8 * HOUR) : START - 300 * DAY + below(600 * DAY);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('ScheduleInstants, for any expression, zone and moment', () => {
  const below = random(20261025);
  const cases = Array.from({ length: 24 }, () => [anyExpression(below), pick(ZONES, below)] as const);

  it.each(cases)('"%s" in %s: processes of any start and history agree', (expression, zone) => {
    const cronTime = cronIn(expression, zone);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(anyMoment(below));
    const old = new ScheduleInstants(cronTime);
    for (let round = 0; round < 3; round += 1) {
      const at = anyMoment(below);
      old.latestAt(anyMoment(below));
      vi.setSystemTime(at + below(4 * HOUR) - 2 * HOUR);
      const young = new ScheduleInstants(cronIn(expression, zone));
      const next = new ScheduleInstants(cronTime).nextAfter(at);
      const latest = young.latestAt(at);

      expect(old.latestAt(at)).toBe(latest);
      expect(old.nextAfter(at)).toBe(next);
      expect(young.nextAfter(at)).toBe(next);
      expect(latest).toBeLessThanOrEqual(at);
      expect(next).toBeGreaterThan(at);
      expect(new ScheduleInstants(cronTime).nextAfter(latest ?? NaN)).toBe(next);
      expect((latest ?? NaN) % SECOND).toBe(0);
    }
  });

  it.each(cases)('"%s" in %s: stepping rises, and a fresh instance names each step', (expression, zone) => {
    const cronTime = cronIn(expression, zone);
    const stepping = new ScheduleInstants(cronTime);
    const steps = [anyMoment(below)];
    for (let last = steps[0]; last !== undefined && steps.length < 30; last = steps.at(-1)) {
      steps.push(stepping.nextAfter(last) ?? NaN);
    }

    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    expect(new Set(steps).size).toBe(30);
    for (const index of [2, 11, 29]) {
      const instant = steps[index] ?? NaN;
      expect(new ScheduleInstants(cronTime).latestAt(instant)).toBe(instant);
      expect(new ScheduleInstants(cronTime).latestAt(instant - 1)).toBe(steps[index - 1]);
    }
  });

  it.each(ZONES.map((zone) => [zone]))(
    'a daily job in %s runs once on each local day around a change',
    (zone) => {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone: typeof zone === 'number' ? 'UTC' : zone });
      const dayOf = (at: number): string => format.format(typeof zone === 'number' ? at + zone * MINUTE : at);
      for (const time of ['30 2', '0 0', '45 1', '30 23', `${below(60)} ${below(4)}`]) {
        const instants = new ScheduleInstants(cronIn(`${time} * * *`, zone));
        for (const change of CHANGES) {
          const days = instants.between(change - 2 * DAY, change + 2 * DAY, 10).map(dayOf);

          expect(new Set(days).size).toBe(days.length);
          expect(days).toContain(dayOf(change));
        }
      }
    },
  );
});
