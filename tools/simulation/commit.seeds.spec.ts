import { describe, expect, test } from 'vitest';
import { brokenRules, firstSeedOf } from './commit.seeds.mjs';

describe('the seeds of a commit', () => {
  test('are the same for a commit, and others for another one', () => {
    expect(firstSeedOf('789abfc1adf34b47d8e4aec1f40f0904927af0c7')).toBe(0x789abfc1);
    expect(firstSeedOf('f3b772e000000000000000000000000000000000')).toBe(0xf3b772e0);
  });

  test('are named with the command that repeats them', () => {
    const output = 'seed 7: I1 at 12.000 ms, event 99: two holders\n1 runs of 20 s: 5 calls\n';
    expect(brokenRules(output, ['--topology', 'cluster'])).toEqual([
      'seed 7: I1 at 12.000 ms, event 99: two holders\n       again: npm run simulate -- --topology cluster --seed 7',
    ]);
    expect(brokenRules('1 runs of 20 s: 5 calls\n', [])).toEqual([]);
  });
});
