import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { StoreClock } from './store.clock.js';

/** What the store's clock shows when ours, the monotonic one, shows 0. */
const EPOCH = 1_700_000_000_000;

describe("the store's clock", () => {
  let clock: StoreClock;
  /** How far the store's clock was stepped. */
  let step = 0;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'], now: EPOCH });
    clock = new StoreClock();
    step = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const truth = () => EPOCH + now() + step;
  const pass = (ms: number) => vi.advanceTimersByTime(ms);
  /** A round trip of `there` and `back` ms. */
  function ask(there: number, back: number): void {
    const sent = now();
    pass(there);
    const at = Math.floor(truth());
    pass(back);
    clock.observe(sent, at);
  }
  const error = () => Math.abs((clock.now() ?? NaN) - truth());

  test('is unknown before the first reply', () => {
    expect(clock.now()).toBeUndefined();
    expect(clock.aheadOfWall).toBe(0);
  });

  test('is known to half a round trip, and goes on by itself', () => {
    ask(10, 10);
    expect(error()).toBeLessThanOrEqual(1);
    pass(5000);
    expect(error()).toBeLessThanOrEqual(1);
    ask(0, 40);
    expect(error()).toBeLessThanOrEqual(20);
  });

  test('is not spoiled by a slow reply after a quick one', () => {
    ask(1, 1);
    ask(0, 300);
    expect(error()).toBeLessThanOrEqual(1.5);
  });

  test('is improved by a quicker reply', () => {
    ask(0, 300);
    expect(error()).toBeGreaterThan(100);
    ask(2, 2);
    expect(error()).toBeLessThanOrEqual(2.5);
  });

  test('takes a slow reply when the last good one is old', () => {
    ask(1, 1);
    pass(61_000);
    ask(0, 40);
    expect(error()).toBeLessThanOrEqual(20.5);
    expect(error()).toBeGreaterThan(5);
  });

  test.each([3_600_000, -3_600_000, 700, -700])(
    'follows a step of the store by %i ms at its next reply',
    (ms) => {
      ask(1, 1);
      step = ms;
      ask(5, 100);
      expect(error()).toBeLessThanOrEqual(55);
    },
  );

  test("does not follow this machine's wall clock when that is set", () => {
    ask(1, 1);
    const before = clock.now();
    vi.setSystemTime(EPOCH + 3_600_000);
    expect(clock.now()).toBe(before);
    expect(clock.aheadOfWall).toBeLessThan(-3_590_000);
  });
});
