import { describe, expect, it } from 'vitest';
import { clockText, fullText, instantText, isoText, zoneText } from './instant.text.js';

/** Local time, whichever zone the test runs in. */
const local = (year: number, month: number, day: number) =>
  new Date(year, month - 1, day, 14, 2, 9).getTime();

describe('an instant', () => {
  const now = local(2026, 11, 28);

  it.each([
    [now, '14:02:09'],
    [local(2026, 11, 27), 'Nov 27, 14:02:09'],
    [local(2025, 11, 28), '2025-11-28 14:02:09'],
  ])('%d has as much of its date as is needed: "%s"', (at, text) => {
    expect(instantText(at, now)).toBe(text);
  });

  it('is shown in full with the zone of the browser', () => {
    expect(fullText(now)).toMatch(/^2026-11-28 14:02:09 UTC[+-]\d\d:\d\d$/);
  });

  it('that no date can hold is shown as its number', () => {
    const far = 9e15;
    expect([clockText(far), instantText(far, now), fullText(far), isoText(far)]).toEqual([
      '9000000000000000',
      '9000000000000000',
      '9000000000000000',
      undefined,
    ]);
  });

  it.each([
    [0, 'UTC+00:00'],
    [330, 'UTC+05:30'],
    [-210, 'UTC-03:30'],
  ])('has the zone of %d minutes: "%s"', (minutes, text) => {
    expect(zoneText(minutes)).toBe(text);
  });
});
