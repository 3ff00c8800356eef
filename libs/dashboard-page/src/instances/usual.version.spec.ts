import { describe, expect, it } from 'vitest';
import { usualVersion } from './usual.version.js';

describe('the version that most instances have', () => {
  it.each([
    [['1', '2', '2'], '2'],
    [['1', '2'], '1'],
    [[], undefined],
  ])('of %j is %s', (versions, expected) => {
    expect(usualVersion(versions.map((version) => ({ version })))).toBe(expected);
  });
});
