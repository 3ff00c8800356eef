import { describe, expect, it } from 'vitest';
import { agoText, leftText, sinceText, spanText, untilText, wholeSpan } from './span.text.js';

describe('a measured time', () => {
  it.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [240.7, '240 ms'],
    [999.9, '999 ms'],
    [1000, '1.0 s'],
    [9999, '9.9 s'],
    [42_900, '42 s'],
    [252_000, '4 min 12 s'],
    [240_000, '4 min'],
    [3_599_999, '59 min 59 s'],
    [11_100_000, '3 h 5 min'],
    [86_400_000 * 3 + 3_600_000, '3 d 1 h'],
    [Number.NaN, '–'],
  ])('of %d ms is "%s"', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it('has one unit where one is enough', () => {
    expect(wholeSpan(252_000, 1)).toBe('4 min');
  });
});

describe('a time that is relative to now', () => {
  const now = 1_000_000_000_000;

  it.each([
    [now, 'just now'],
    [now + 400, 'just now'],
    [now - 1000, '1 s ago'],
    [now - 200_000, '3 min ago'],
  ])('is past for %d: "%s"', (at, text) => {
    expect(agoText(at, now)).toBe(text);
  });

  it.each([
    [now + 1, 'in 1 s'],
    [now + 61_000, 'in 1 min 1 s'],
    [now, 'now'],
    [now - 4999, 'now'],
    [now - 65_000, 'due 1 min ago'],
  ])('is due at %d: "%s"', (at, text) => {
    expect(untilText(at, now)).toBe(text);
  });

  it('lasts less than a second before it lasts whole ones', () => {
    expect([sinceText(now - 999, now), sinceText(now - 61_000, now)]).toEqual(['less than 1 s', '1 min 1 s']);
  });

  it('counts a lease down to its end', () => {
    expect([leftText(now + 29_100, now), leftText(now + 1, now), leftText(now, now)]).toEqual([
      '30 s',
      '1 s',
      'ended',
    ]);
  });
});
