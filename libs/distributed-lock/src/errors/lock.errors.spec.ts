import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { REMEDIES } from './error.table.js';
import {
  DistributedLockError,
  LockConfigurationError,
  LockLostError,
  LockNotAcquiredError,
  LockUnavailableError,
  StaleTokenError,
} from './lock.errors.js';

const CAUSE = new Error('ECONNREFUSED');
const HELD_BY = { holder: 'a-client:7', since: Date.UTC(2026, 0, 2, 3, 4, 5) };

describe('an error of the library', () => {
  test.each([
    [new LockNotAcquiredError('x', 12.6), 'LockNotAcquiredError', 'NOT_ACQUIRED'],
    [
      new LockNotAcquiredError('x', 0, HELD_BY, 'TOO_MANY_WAITERS'),
      'LockNotAcquiredError',
      'TOO_MANY_WAITERS',
    ],
    [new LockLostError('x', 'its lease ended'), 'LockLostError', 'LOST'],
    [new LockLostError('x', 'it was held for too long', 'MAX_HOLD'), 'LockLostError', 'MAX_HOLD'],
    [new LockUnavailableError('x', 'No answer.', { cause: CAUSE }), 'LockUnavailableError', 'UNAVAILABLE'],
    [
      new LockUnavailableError('x', 'Refused.', undefined, 'WRONG_TYPE'),
      'LockUnavailableError',
      'WRONG_TYPE',
    ],
    [new LockConfigurationError('INVALID_NAME', 'No name.', 'x'), 'LockConfigurationError', 'INVALID_NAME'],
  ] as const)(
    'has a name, a code, its lock, and a remedy at the end of its message (%#)',
    (error, name, code) => {
      expect(error).toBeInstanceOf(DistributedLockError);
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ name, code, lock: 'x', remedy: REMEDIES[code] });
      expect(error.message.endsWith(` ${REMEDIES[code]}`)).toBe(true);
      expect(String(error)).toBe(`${name}: ${error.message}`);
      expect(error.stack).toContain('lock.errors.spec');
    },
  );

  test('names the holder of the lock, and since when, as far as that is known', () => {
    const whole = new LockNotAcquiredError('x', 12.6, HELD_BY);
    expect(whole.message).toContain(
      'Lock "x" was not acquired within 13 ms: held by a-client:7 since 2026-01-02T03:04:05.000Z.',
    );
    expect(whole).toMatchObject({ waited: 12.6, heldBy: HELD_BY });
    const remote = new LockNotAcquiredError('x', 0, { holder: 'a-client:7' });
    expect(remote.message).toContain('within 0 ms: held by a-client:7. ');
    const unknown = new LockNotAcquiredError('x', 0);
    expect(unknown.message).toContain('Lock "x" was not acquired within 0 ms. ');
    expect(unknown.heldBy).toEqual({});
  });

  test('names the token that a fence refused, and why', () => {
    const error = new StaleTokenError('account:7:fence', 2n ** 53n, 2n ** 53n + 1n);
    expect(error).toBeInstanceOf(DistributedLockError);
    expect(error).toMatchObject({
      name: 'StaleTokenError',
      code: 'STALE_TOKEN',
      fence: 'account:7:fence',
      token: 9007199254740992n,
      newest: 9007199254740993n,
      lock: undefined,
      remedy: REMEDIES.STALE_TOKEN,
    });
    expect(error.message).toBe(
      'Token 9007199254740992 is too old for fence "account:7:fence": the fence has already accepted token 9007199254740993. ' +
        REMEDIES.STALE_TOKEN,
    );
  });

  test('keeps its cause', () => {
    const error = new LockUnavailableError(undefined, 'No answer.', { cause: CAUSE });
    expect(error.cause).toBe(CAUSE);
    expect(error.lock).toBeUndefined();
    expect(inspect(error)).toContain('ECONNREFUSED');
  });
});

test.each(Object.entries(REMEDIES))('the remedy of %s is a sentence', (code, remedy) => {
  expect(code).toMatch(/^[A-Z_]+$/);
  expect(remedy).toMatch(/^[A-Z].+\.$/s);
  expect(remedy.length).toBeLessThan(200);
});
