import { expect, test } from 'vitest';
import { remedyForOptions } from './redis.refusals.js';

test.each([
  ['WRONGPASS invalid username-password pair or user is disabled.', /^Correct the user or the password/],
  ['10.0.0.1:7000: NOAUTH Authentication required.', /^The connection is not logged in/],
  ['SELECT 1 was refused (NOPERM User a has no permissions): database 0', /lacks a permission/],
  ['SELECT 3 was refused (ERR DB index is out of range): database 0', /^Correct the redis options\.$/],
])('the remedy for "%s"', (why, remedy) => {
  expect(remedyForOptions(why)).toMatch(remedy);
});
