import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LONGEST_YIELD } from '../acquire/yield.policy.js';
import { now } from '../timing/monotonic.clock.js';
import { ProcessFairness } from './process.fairness.js';

describe('the pause of a process after its release', () => {
  let fairness: ProcessFairness;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    fairness = new ProcessFairness({ handOver: { time: 15, max: Infinity } });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** It releases the lock, and others go first. @returns for how long */
  function release(isTurn: boolean): number {
    const pause = fairness.pauseAfter(isTurn);
    fairness.yieldTo({ until: now() + pause, pause, untilMessage: 1, isTurn });
    return pause;
  }

  /** It asks after the pause, and is answered. */
  function ask(pause: number, answer: 'granted' | 'otherAcquired'): void {
    vi.advanceTimersByTime(pause);
    fairness[answer]();
  }

  const pausesOf = (isTurn: boolean, answers: readonly ('granted' | 'otherAcquired')[]) =>
    answers.map((answer) => {
      const pause = release(isTurn);
      ask(pause, answer);
      return pause;
    });

  test('is halved, down to 1 ms, while the process whose turn it was is done before', () => {
    expect(pausesOf(true, ['granted', 'granted', 'granted', 'granted', 'granted'])).toEqual([
      5, 2.5, 1.25, 1, 1,
    ]);
  });

  test('becomes a quarter longer, up to 5 ms, while that process still has the lock', () => {
    const shortened = Array.from({ length: 4 }, () => 'granted' as const);
    const lengthened = Array.from({ length: 10 }, () => 'otherAcquired' as const);
    const pauses = pausesOf(true, [...shortened, ...lengthened]).slice(4);
    expect(pauses.slice(0, 3)).toEqual([1, 1.25, 1.5625]);
    expect(pauses.at(-1)).toBe(5);
  });

  test('stays as it is when this process asks much later', () => {
    ask(release(true) + LONGEST_YIELD, 'granted');
    expect(release(true)).toBe(5);
  });

  test('is doubled, up to 40 ms, where others were too slow that are not notified one by one', () => {
    expect(pausesOf(false, ['granted', 'granted', 'granted', 'granted', 'granted'])).toEqual([
      5, 10, 20, 40, 40,
    ]);
  });

  test('is 5 ms again once one of those had the lock', () => {
    pausesOf(false, ['granted', 'granted']);
    fairness.otherAcquired();
    expect(release(false)).toBe(5);
  });
});
