import { expect, test } from 'vitest';
import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { describeRefusal } from './refusal.reader.js';

const HELD_BY = { holder: 'a-client:7' };

test.each([
  [new LockNotAcquiredError('a', 1, HELD_BY), 'Lock "a" is held. Try again later.'],
  [new LockNotAcquiredError('a', 0, {}, 'NOT_LEADER'), 'This instance does not lead "a". Try again later.'],
  [
    new LockNotAcquiredError('a', 0, HELD_BY, 'TOO_MANY_WAITERS'),
    'Too many callers wait for lock "a". Try again later.',
  ],
  [
    new LockUnavailableError('a', 'Redis at 10.0.0.1 is away.', undefined, 'SHUTTING_DOWN'),
    'Locks cannot be acquired at the moment. Try again later.',
  ],
])('a client gets a sentence for the code, without the holder and the address (%#)', (error, message) => {
  expect(describeRefusal(error)).toEqual({ message, code: error.code, lock: 'a' });
});
