import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RateLimitedLog } from './rate.limited.log.js';

const messages: unknown[] = [];
beforeEach(() => {
  messages.length = 0;
  vi.useFakeTimers();
  vi.spyOn(Logger.prototype, 'debug').mockImplementation((sentence) => void messages.push(sentence));
});
afterEach(() => {
  vi.useRealTimers();
});

test('logs the first message at once, and later how many it left out', () => {
  const log = new RateLimitedLog('debug');
  for (let call = 1; call <= 5; call += 1) log.log(() => `call ${call}`);
  vi.advanceTimersByTime(1000);
  log.log(() => 'call 6');
  vi.advanceTimersByTime(1000);
  log.log(() => 'call 7');
  expect(messages).toEqual(['call 1.', 'call 6 (and 4 more before it).', 'call 7.']);
});

test('makes no sentence that it leaves out', () => {
  const log = new RateLimitedLog('debug');
  log.log(() => 'logged');
  const sentence = vi.fn<() => string>(() => 'left out');
  log.log(sentence);
  expect(sentence).not.toHaveBeenCalled();
});
