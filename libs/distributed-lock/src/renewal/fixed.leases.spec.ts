import { describe, expect, test } from 'vitest';
import { alive, TTL, watchdogStage } from '../../../../test/support/watchdog.stage.js';
import { now } from '../timing/monotonic.clock.js';
import { safetyMargin } from './lease.js';

describe('a fixed lease under the watchdog', () => {
  const stage = watchdogStage();
  const { lease, pass, calls } = stage;
  const onlyLooking = () => Object.assign(stage.listener, { renewalTtl: 0 });

  test.each([
    ['at a third of its time', TTL / 2],
    ['as often as a renewed one, where it is longer', TTL * 100],
  ])('looks at a fixed lease %s, and does not renew it', async (_, ttl) => {
    const watched = lease('key', ttl);
    const { deadline } = watched;
    const third = Math.min(ttl, TTL) / 3;
    stage.watchdog.watch(watched, onlyLooking());
    await pass(third * 0.8);
    expect(calls()).toEqual([]);
    await pass(third * 0.2 + 1);
    const [call] = calls();
    expect(call?.args.slice(1)).toEqual(['1', 'key', 'holder of key', '0']);
    if (call !== undefined) alive(call, ttl - Math.round(third));
    await pass(0);
    expect(watched.state).toBe('renewed');
    expect(watched.deadline).toBeGreaterThanOrEqual(deadline);
  });

  test('keeps the deadline of a fixed lease, however long the look at it was on its way', async () => {
    const watched = lease('key', 2 * TTL);
    const { deadline } = watched;
    stage.watchdog.watch(watched, onlyLooking());
    await pass(1001);
    const [call] = calls();
    await pass(700);
    // Redis was asked right before it answered.
    if (call !== undefined) alive(call, 2 * TTL - 1701);
    await pass(0);
    expect(watched.deadline).toBe(deadline);
  });

  test('believes Redis when a fixed lease has less left than it was given', async () => {
    const watched = lease('key', 2 * TTL);
    stage.watchdog.watch(watched, onlyLooking());
    await pass(1001);
    const [call] = calls();
    if (call !== undefined) alive(call, 500);
    await pass(0);
    expect(watched.deadline - now()).toBeLessThanOrEqual(500 - safetyMargin(500));
  });

  test('tells the holder of a fixed lease that it is gone, long before its end', async () => {
    const watched = lease('key', TTL * 100);
    stage.watchdog.watch(watched, onlyLooking());
    await pass(1001);
    calls()[0]?.answer([[0]]);
    await pass(0);
    expect(stage.listener.gone).toHaveBeenCalledOnce();
    expect([stage.watchdog.size, stage.wheel.size]).toEqual([0, 0]);
  });
});
