import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { discardLasting } from './discarded.result.js';

test('a stream without a reader is discarded when it has closed, and its error has no receiver', async () => {
  let close: () => void = () => undefined;
  const stream = new Readable({
    read: () => undefined,
    destroy: (_, done) => void (close = () => done(new Error('of the close'))),
  });
  let isOver = false;
  const over = discardLasting('stream', stream, (step) => step())?.then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([stream.destroyed, isOver]).toEqual([true, false]);
  close();
  await over;
  expect(isOver).toBe(true);
});

test.each([
  ['flows', (stream: PassThrough) => void stream.resume()],
  ['is piped', (stream: PassThrough) => void stream.pipe(new PassThrough())],
  ['is iterated', (stream: PassThrough) => void stream[Symbol.asyncIterator]().next()],
])('a stream that %s is left to its reader', async (_, read) => {
  const stream = new PassThrough();
  read(stream);
  await new Promise((resolve) => setImmediate(resolve));
  expect(discardLasting('stream', stream, (step) => step())).toBeUndefined();
  expect(stream.destroyed).toBe(false);
});
