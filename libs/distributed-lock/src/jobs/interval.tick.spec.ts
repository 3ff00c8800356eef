import { expect, test } from 'vitest';
import { toleranceOf } from './interval.tick.js';

test.each([
  [100, 10],
  [1000, 100],
  [5000, 500],
  [3_600_000, 500],
])('an interval of %i ms may come %i ms early', (period, tolerance) => {
  expect(toleranceOf(period)).toBe(tolerance);
});
