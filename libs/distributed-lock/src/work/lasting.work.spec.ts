import { expect, test } from 'vitest';
import { holdLasting } from './lasting.work.js';

const read = new ReadableStream();
read.getReader();

test.each([
  [
    'a stream with a reader',
    'web-stream',
    read,
    'Return a stream that has no reader, or read it inside the work.',
  ],
  ['an iterator', 'iterator', [1].values(), 'Collect its values inside the work.'],
  ['an Observable of another library', 'observable', {}, 'Convert it with from().'],
] as const)('%s is refused with a remedy of its own', (_, kind, result, remedy) => {
  expect(() => holdLasting<unknown>(kind, result, (step) => step())).toThrow(
    expect.objectContaining({ code: 'NOT_ASYNC', remedy }),
  );
});
