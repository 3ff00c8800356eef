import { CronTime } from 'cron';
import { describe, expect, it } from 'vitest';
import { isImpossibleDate } from './impossible.date.js';

describe('isImpossibleDate', () => {
  it.each([
    ['0 0 30 2 *', true],
    ['0 0 30,31 2 *', true],
    ['0 0 30-31 feb *', true],
    ['0 0 31 4,6,9,11 *', true],
    ['* * * 31 2-2,4,6 *', true],
    ['0 0 31 */2 *', false],
    ['0 0 31 2/2 *', false],
    ['0 0 29 2 *', false],
    ['0 0 30 2,3 *', false],
    ['0 0 1,31 4 *', false],
    ['0 0 31 4 1', false],
    // cron shows these weekdays as all of them.
    ['0 0 31 4 0-5', false],
    ['0 0 * 2 *', false],
    ['0 0 31 * *', false],
    ['@monthly', false],
    ['* * * * * *', false],
  ])('of "%s" is %s', (expression, expected) => {
    expect(isImpossibleDate(expression, new CronTime(expression, 'UTC').toJSON())).toBe(expected);
  });

  it.each([[[]], [['a']], [['x', 'y', '*']], [['30', '2']], [['30', 'x', '*']]])(
    'is false for what is no expression: %j',
    (fields) => {
      expect(isImpossibleDate('* * * * *', fields)).toBe(false);
    },
  );
});
