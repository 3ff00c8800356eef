import { expect, test } from 'vitest';
import { errorText } from './error.text.js';

test.each([
  [new TypeError('broken'), 'broken'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [Object.create(null), 'an error that cannot be printed'],
  [
    Object.defineProperty(new Error('x'), 'message', { get: () => JSON.parse('{') }),
    'an error that cannot be printed',
  ],
])('any thrown value has a text: %#', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});
