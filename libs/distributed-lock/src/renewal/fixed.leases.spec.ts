import { describe, expect, test } from 'vitest';
import { alive, TTL, watchdogStage } from '../../../../test/support/watchdog.stage.js';
import { now } from '../timing/monotonic.clock.js';
import { safetyMargin } from './lease.js';

describe('a fixed lease under the watchdog', () => {
  const stage = watchdogStage();
  const { lease, pass, calls } = stage;
  const onlyLooking = () => Object.assign(stage.listener, { renewalTtl: 0 });

  test('is checked every third of its lease time, and not renewed', async () => {
    const watched = lease('key', 100 * TTL);
    const { deadline } = watched;
    stage.watchdog.watch(watched, onlyLooking());
    for (let round = 1; round <= 3; round += 1) {
      await pass(740);
      expect(calls()).toEqual([]);
      await pass(261);
      const [call] = calls();
      expect(call?.args.slice(1)).toEqual(['1', 'key', '0', 'holder of key']);
      if (call !== undefined) alive(call, 99 * TTL);
      await pass(0);
      expect(watched.state).toBe('renewed');
    }
    expect(watched.deadline).toBeLessThan(deadline);
  });

  test('is checked earlier when its lease time becomes shorter, and not later when it stays', async () => {
    const watched = lease('key', 100 * TTL);
    stage.watchdog.watch(watched, onlyLooking());
    await pass(500);
    stage.watchdog.watch(watched, stage.listener);
    Object.assign(stage.listener, { renewalTtl: 0, leaseTime: TTL / 5 });
    stage.watchdog.watch(watched, stage.listener);
    await pass(201);
    expect(calls()).toHaveLength(1);
    expect(stage.wheel.size).toBeLessThanOrEqual(2);
  });

  test('keeps its deadline, however long its check was on its way', async () => {
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

  test('ends earlier when Redis reports a shorter rest', async () => {
    const watched = lease('key', 2 * TTL);
    stage.watchdog.watch(watched, onlyLooking());
    await pass(1001);
    const [call] = calls();
    if (call !== undefined) alive(call, 500);
    await pass(0);
    expect(watched.deadline - now()).toBeLessThanOrEqual(500 - safetyMargin(500));
  });

  test('notifies its holder that it is gone, long before its end', async () => {
    const watched = lease('key', TTL * 100);
    stage.watchdog.watch(watched, onlyLooking());
    await pass(1001);
    calls()[0]?.answer([[0]]);
    await pass(0);
    expect(stage.listener.gone).toHaveBeenCalledOnce();
    expect([stage.watchdog.size, stage.wheel.size]).toEqual([0, 0]);
  });
});
