import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { readSettings } from './settings.reader.js';

describe('the option replication', () => {
  test('is off by default', () => {
    expect(readSettings({}).replication).toBeUndefined();
  });

  test.each([
    [{ acks: 1 }, {}, { acks: 1, timeout: 300 }],
    [{ acks: 'majority', timeout: '200ms' }, {}, { acks: 'majority', timeout: 200 }],
    [{ acks: 2 }, { commandTimeout: 600 }, { acks: 2, timeout: 200 }],
    [{ acks: 2, timeout: '1s' }, { commandTimeout: '3s' }, { acks: 2, timeout: 1000 }],
  ] as const)('%j with %j is %j', (replication, options, expected) => {
    expect(readSettings({ ...options, replication }).replication).toEqual(expected);
  });

  test.each([0, -1, 1.5, NaN, Infinity, '1', 'all', undefined, null])('acks must not be %s', (acks) => {
    const replication = { acks } as never;
    expect(() => readSettings({ replication })).toThrow(
      'replication.acks must be a whole number of at least 1',
    );
  });

  test.each([true, 'majority', 1, null])('must not be %j', (replication) => {
    expect(() => readSettings({ replication: replication as never })).toThrow(
      'replication must be an object like { acks: 1 }',
    );
  });

  test('the timeout is at least 10 ms, and fits three times into commandTimeout', () => {
    expect(() => readSettings({ replication: { acks: 1, timeout: 9 } })).toThrow('at least 10 ms');
    const tooLong = () => readSettings({ replication: { acks: 1, timeout: 500 } });
    expect(tooLong).toThrow(LockConfigurationError);
    expect(tooLong).toThrow('lower it, or raise commandTimeout to 1500 ms');
  });
});
