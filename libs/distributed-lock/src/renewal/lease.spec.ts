import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HolderIds } from '../core/holder.ids.js';
import { now, wallOffset } from '../timing/monotonic.clock.js';
import { instant, Lease, safetyMargin } from './lease.js';

const TTL = 10_000;
const MARGIN = 500;
const LOCK = { key: 'the key', renewer: { renew: () => undefined }, holderIds: new HolderIds() };

test.each([
  [100, 20],
  [400, 20],
  [401, 20.05],
  [10_000, 500],
  [30_000, 1500],
])('the safety margin of %d ms is %d ms', (lease, margin) => {
  expect(safetyMargin(lease)).toBe(margin);
});

describe('a lease', () => {
  let lease: Lease;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    lease = new Lease(LOCK, 'the holder', TTL, instant());
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number) => vi.advanceTimersByTime(ms);
  const left = () => lease.deadline - now();
  const suspend = (ms: number) => vi.setSystemTime(Date.now() + ms);

  test('is held at first, until a margin before its end, counted from the sending', () => {
    const sent = instant();
    pass(300);
    const late = new Lease(LOCK, 'h', TTL, sent);
    expect(late.state).toBe('held');
    expect(late.deadline - now()).toBe(TTL - MARGIN - 300);
  });

  test.each([0.1, 0.4, 0.6, 0.9])('is counted in whole ms, never later than it is (%d ms)', (fraction) => {
    const sent = { at: now() + fraction, wall: wallOffset(now() + fraction) };
    const odd = new Lease(LOCK, 'h', 410, sent);
    const exact = sent.at + 410 - safetyMargin(410);
    const counted = () => [Number.isInteger(odd.deadline), odd.deadline <= exact, odd.deadline > exact - 2];
    expect(counted()).toEqual([true, true, true]);
    odd.confirm(sent, 410);
    expect(counted()).toEqual([true, true, true]);
    const { deadline } = odd;
    odd.raise(sent, 410);
    expect(odd.deadline).toBe(deadline);
    odd.cap(sent, 410);
    expect(counted()).toEqual([true, true, true]);
    // What it may be believed in for, and the suspend that goes unseen, are no more than the lease.
    suspend(21);
    expect(odd.isDoubtful || odd.deadline + 21 <= sent.at + 410).toBe(true);
    suspend(1);
    expect(odd.isDoubtful).toBe(true);
  });

  test('is renewed from the sending of what Redis confirmed', () => {
    pass(4000);
    const sent = instant();
    pass(250);
    lease.confirm(sent, TTL);
    expect(lease.state).toBe('renewed');
    expect(left()).toBe(TTL - MARGIN - 250);
  });

  test('is relied on for no longer than the rest that Redis reports', () => {
    lease.confirm(instant(), 1000);
    expect(left()).toBe(950);
  });

  test('is raised by a re-entry, never shortened', () => {
    lease.raise(instant(), 60_000);
    expect(left()).toBe(57_000);
    lease.raise(instant(), 200);
    expect(left()).toBe(57_000);
    expect(lease.state).toBe('renewed');
  });

  test('is capped by what shortens it, never raised', () => {
    lease.cap(instant(), 1000);
    expect(left()).toBe(950);
    lease.cap(instant(), 60_000);
    expect(left()).toBe(950);
  });

  test('is unknown in doubt, with the deadline that it had, until it is confirmed', () => {
    const { deadline } = lease;
    lease.doubt();
    expect([lease.state, lease.deadline]).toEqual(['unknown', deadline]);
    lease.confirm(instant(), TTL);
    expect(lease.state).toBe('renewed');
  });

  test('once lost stays lost', () => {
    const { deadline } = lease;
    lease.lose();
    lease.doubt();
    lease.confirm(instant(), 60_000);
    lease.raise(instant(), 60_000);
    expect([lease.state, lease.deadline]).toEqual(['lost', deadline]);
  });

  test('is doubtful when the wall clock ran ahead by more than the margin, until it is confirmed', () => {
    expect(lease.isDoubtful).toBe(false);
    suspend(MARGIN - 1);
    expect(lease.isDoubtful).toBe(false);
    suspend(2);
    expect(lease.isDoubtful).toBe(true);
    lease.confirm(instant(), TTL);
    expect(lease.isDoubtful).toBe(false);
  });

  test('is not doubtful when time just passes, nor when the wall clock is set back', () => {
    pass(9000);
    expect(lease.isDoubtful).toBe(false);
    suspend(-3_600_000);
    expect(lease.isDoubtful).toBe(false);
  });

  test('stays doubtful when what confirms it was sent before the machine was suspended', () => {
    const sent = instant();
    suspend(60_000);
    lease.confirm(sent, TTL);
    expect(lease.isDoubtful).toBe(true);
  });

  test('knows the longest time that Redis may have given it', () => {
    expect(lease.longestTtl).toBe(TTL);
    lease.expect(60_000);
    lease.expect(100);
    expect(lease.longestTtl).toBe(60_000);
  });

  test('is doubtful after a suspend that is longer than its deadline has to spare, however often it was checked', () => {
    pass(4000);
    suspend(300);
    lease.confirmCheck(instant(), 5700);
    pass(4000);
    lease.confirmCheck(instant(), 1700);
    // The deadline lies 285 ms before the end by now.
    suspend(280);
    expect(lease.isDoubtful).toBe(false);
    suspend(10);
    expect(lease.isDoubtful).toBe(true);
  });

  test('gets no later deadline by an answer from before it was shortened', () => {
    const before = instant();
    pass(100);
    const lift = lease.cap(instant(), 400);
    expect(left()).toBe(380);
    lease.confirmCheck(before, TTL);
    lease.confirm(before, TTL);
    expect(left()).toBe(380);
    pass(10);
    lift();
    lease.confirm(before, TTL);
    expect(left()).toBe(370);
  });

  test('gets the deadline of an answer from after it was shortened', () => {
    const lift = lease.cap(instant(), 400);
    pass(10);
    lease.confirm(instant(), 5000);
    expect(left()).toBe(370);
    lift();
    lease.confirm(instant(), 5000);
    expect(left()).toBe(4750);
    lease.raise(instant(), TTL);
    expect(left()).toBe(TTL - MARGIN);
  });

  test('keeps its deadline at a check that confirms it, and takes over a shorter rest', () => {
    pass(4000);
    const { deadline } = lease;
    const sent = instant();
    pass(700);
    lease.confirmCheck(sent, TTL - 4700);
    expect(lease.deadline).toBe(deadline);
    lease.confirmCheck(instant(), 1000);
    expect(left()).toBe(950);
  });
});
