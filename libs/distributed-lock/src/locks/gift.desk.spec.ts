import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { GiftDesk } from './gift.desk.js';

const LEASE = 3000;

let desk: GiftDesk;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  desk = new GiftDesk(LEASE);
});
afterEach(() => void vi.useRealTimers());

describe('a gift', () => {
  test('counts from when the question was sent that it names', () => {
    expect(desk.declare()).toEqual({ lease: LEASE, question: 1 });
    const sent = now();
    vi.advanceTimersByTime(400);
    desk.hear('-1');
    vi.advanceTimersByTime(400);
    expect(desk.take()).toEqual({ gift: LEASE, sent: expect.objectContaining({ at: sent }) });
  });

  test('is taken once', () => {
    desk.declare();
    desk.hear('-1');
    expect(desk.take()).toBeDefined();
    expect(desk.take()).toBeUndefined();
  });

  test('that came after an older question was overtaken by the answer to the younger one', () => {
    desk.declare();
    desk.declare();
    desk.hear('-1');
    expect(desk.take()).toBeUndefined();
  });

  test('that comes before the answer to its question waits for it, and a younger question ends it', () => {
    desk.declare();
    desk.hear('-1');
    expect(desk.declare()).toEqual({ lease: LEASE, question: 2 });
    expect(desk.take()).toBeUndefined();
  });

  test('that names a question which was not asked yet is none', () => {
    desk.declare();
    desk.hear('-2');
    desk.declare();
    expect(desk.take()).toBeUndefined();
  });

  test('is worth nothing after the machine was suspended: the monotonic clock stood still', () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    desk.declare();
    vi.setSystemTime(Date.now() + LEASE);
    desk.hear('-1');
    expect(desk.take()).toBeUndefined();
  });

  test('is worth nothing once a third of its lease may be over', () => {
    desk.declare();
    desk.hear('-1');
    vi.advanceTimersByTime(LEASE / 3 + 1);
    expect(desk.take()).toBeUndefined();
  });

  test.each(['0', '1', '-0', '-01', '--1', '-1.5', '- 1', '-x', '', '-2', '1e0', '9'])(
    'is not what "%s" says, which only wakes',
    (payload) => {
      desk.declare();
      desk.hear(payload);
      expect(desk.take()).toBeUndefined();
      desk.declare();
      expect(desk.take()).toBeUndefined();
    },
  );

  test('is there still after a message that only wakes', () => {
    desk.declare();
    desk.hear('-1');
    desk.hear('0');
    expect(desk.take()).toBeDefined();
  });
});

test('nothing is taken before anything was asked', () => {
  expect(desk.take()).toBeUndefined();
});
