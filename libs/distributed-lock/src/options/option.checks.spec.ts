import { describe, expect, test } from 'vitest';
import type { Duration } from '../contracts/duration.js';
import { LONGEST, parseDuration } from './option.checks.js';

const option = 'leaseTime';
const parse = (value: unknown, bounds: object = {}): number =>
  Reflect.apply(parseDuration, undefined, [value, { option, ...bounds }]);

describe('a duration', () => {
  test.each<readonly [Duration, number]>([
    [0, 0],
    [1, 1],
    [1.4, 1],
    [1.5, 2],
    ['0', 0],
    ['250', 250],
    ['250ms', 250],
    ['1.5s', 1500],
    ['30 seconds', 30_000],
    ['2 minutes', 120_000],
    ['1h', 3_600_000],
    ['1 day', 86_400_000],
    ['2w', 1_209_600_000],
    [LONGEST, LONGEST],
  ])('%j is %i ms', (value, ms) => {
    expect(parse(value)).toBe(ms);
  });

  test('of no end is a value only where that is allowed', () => {
    expect(parse(Infinity, { unbounded: true })).toBe(Infinity);
    expect(() => parse(Infinity)).toThrow('leaseTime must be at most ten years');
    expect(() => parse(-Infinity, { unbounded: true })).toThrow('leaseTime must be at least 0 ms');
  });

  test.each([
    ['5 parsecs', '"5 parsecs"'],
    ['', '""'],
    ['s', '"s"'],
    ['1s 2s', '"1s 2s"'],
    ['1'.repeat(101), `"${'1'.repeat(100)}"`],
    [NaN, 'NaN'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [5n, '5n'],
    [Symbol('5s'), 'Symbol(5s)'],
    [[5], '[ 5 ]'],
    [{ seconds: 5 }, '{ seconds: 5 }'],
    [Object.create(null), '[Object: null prototype] {}'],
  ])('%o is none, and the error shows it', (value, shown) => {
    const message = `leaseTime must be a number of milliseconds or a string like "30s", not ${shown}.`;
    expect(() => parse(value)).toThrow(message);
  });

  test.each([
    [99, { min: 100 }, 'leaseTime must be at least 100 ms, not 99.'],
    ['99ms', { min: 100 }, 'leaseTime must be at least 100 ms, not "99ms".'],
    [-1, {}, 'leaseTime must be at least 0 ms, not -1.'],
    ['-2h', {}, 'leaseTime must be at least 0 ms, not "-2h".'],
    [LONGEST + 1, {}, 'leaseTime must be at most ten years'],
    ['3651d', {}, 'leaseTime must be at most ten years, not "3651d".'],
    [Number.MAX_VALUE, { unbounded: true }, 'leaseTime must be at most ten years'],
  ])('%j out of bounds is refused by a sentence (%#)', (value, bounds, message) => {
    expect(() => parse(value, bounds)).toThrow(message);
  });

  test('is refused with code, lock and option', () => {
    const refuse = () => parse('soon', { option: 'waitTime', lock: 'x' });
    expect(refuse).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', lock: 'x' }));
    expect(refuse).toThrow(
      'waitTime must be a number of milliseconds or a string like "30s" for lock "x", not "soon".',
    );
  });
});
