import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { jobName } from './job.name.js';

describe("a scheduled method's job", () => {
  test('is named after its key', () => {
    expect(jobName('nightly', 'Jobs.run')).toBe('nightly');
    expect(jobName('nightly:{fleet}', 'Jobs.run')).toBe('nightly:{fleet}');
    expect(jobName(() => 'from a function', 'Jobs.run')).toBe('from a function');
  });

  test.each([
    ['nightly:{0}', 'filled from arguments'],
    ['nightly:{1.id}', 'filled from arguments'],
    [(id: string) => id, 'takes arguments'],
    [
      (...ids: { name: string }[]) =>
        `${ids[0]?.name.length}${ids.map(({ name }) => name)[0]?.length ?? fail()}`,
      'failed without arguments',
    ],
    [() => '', 'returned no string'],
    [() => ['a', 'b'], 'returned an array'],
    [['a', 'b'], 'its key is an array'],
    [['a'], 'its key is an array'],
  ] as const)('cannot be named by %s', (key, why) => {
    expect(() => jobName(key, 'Jobs.run')).toThrow(LockConfigurationError);
    expect(() => jobName(key, 'Jobs.run')).toThrow(why);
    expect(() => jobName(key, 'Jobs.run')).toThrow('Jobs.run has a schedule');
  });
});

function fail(): never {
  throw new Error('no argument');
}
