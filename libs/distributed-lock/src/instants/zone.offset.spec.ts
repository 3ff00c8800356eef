import { describe, expect, it } from 'vitest';
import { zoneOffset } from './zone.offset.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 6, 1, 12);

describe('zoneOffset', () => {
  it.each([
    ['Europe/Berlin', 2],
    ['America/New_York', -4],
    ['America/St_Johns', -2.5],
    ['Asia/Kolkata', 5.5],
    ['Australia/Lord_Howe', 10.5],
    ['Etc/UTC', 0],
    ['utc', 0],
    ['GMT', 0],
    ['UTC+3', 3],
    ['utc-5:30', -5.5],
    ['UTC-0:30', -0.5],
  ])('reads %s as luxon does', (timeZone, hours) => {
    expect(zoneOffset(timeZone, undefined).offsetAt(NOON)).toBe(hours * HOUR);
  });

  it('reads seconds of the offsets of old local times', () => {
    const monrovia = zoneOffset('Africa/Monrovia', undefined);

    expect(monrovia.offsetAt(Date.UTC(1971, 0, 1))).toBe(-(44 * 60 + 30) * 1000);
  });

  it.each([
    [0, 'UTC'],
    [90, 'UTC+01:30'],
    [-210, 'UTC-03:30'],
    [-30, 'UTC-00:30'],
  ])('takes a UTC offset of %i minutes', (minutes, label) => {
    const zone = zoneOffset(undefined, minutes);

    expect(zone.offsetAt(NOON)).toBe(minutes * 60_000);
    expect(zone.label).toBe(label);
    expect(zone.changeIn(0, NOON)).toBeUndefined();
  });

  it('names the system zone', () => {
    expect(zoneOffset('local', null).label).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it('finds the changes of a zone to the second, and no other', () => {
    const berlin = zoneOffset('Europe/Berlin', undefined);
    const spring = Date.UTC(2026, 2, 29, 1);
    const autumn = Date.UTC(2026, 9, 25, 1);

    expect(berlin.changeIn(Date.UTC(2026, 0, 1), autumn)).toEqual({
      at: spring,
      before: HOUR,
      after: 2 * HOUR,
    });
    expect(berlin.changeIn(spring, autumn)).toEqual({ at: autumn, before: 2 * HOUR, after: HOUR });
    expect(berlin.changeIn(spring, autumn - 1)).toBeUndefined();
    expect(berlin.changeIn(spring - 1, spring)?.at).toBe(spring);
  });
});
