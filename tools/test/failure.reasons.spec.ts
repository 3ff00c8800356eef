import { describe, expect, it } from 'vitest';
import { reasonsOf } from './failure.reasons.mjs';

describe('reasonsOf', () => {
  it('has the lines that name a failure, and the last ones', () => {
    const output =
      'ok one\nFAILED two: not in time\n  at line 1\nok three\nok four\n\nmatrix: 3 passed, 1 failed\n';
    expect(reasonsOf(output)).toEqual([
      'FAILED two: not in time',
      'ok three',
      'ok four',
      'matrix: 3 passed, 1 failed',
    ]);
  });

  it('has the error that ended a script', () => {
    const output = 'file:///a.mjs:1\n\nTypeError: no function\n    at a\n    at b\n    at c\nNode.js\n';
    expect(reasonsOf(output)).toEqual(['TypeError: no function', '    at b', '    at c', 'Node.js']);
  });

  it('has five failures at most beside the last lines, and each once', () => {
    const output = Array.from({ length: 9 }, (_, index) => `FAILED ${index}`).join('\n');
    expect(reasonsOf(output)).toEqual([0, 1, 2, 3, 4, 6, 7, 8].map((index) => `FAILED ${index}`));
  });

  it('has nothing of a check that printed nothing', () => expect(reasonsOf('\n')).toEqual([]));
});
