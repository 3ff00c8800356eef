import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import { alive, keysOf, TTL, watchdogStage } from '../../../../test/support/watchdog.stage.js';
import { now } from '../timing/monotonic.clock.js';
import { safetyMargin } from './lease.js';
import { RedisFailure } from '../redis/redis.failure.js';

describe('the watchdog', () => {
  const stage = watchdogStage();
  const { lease, pass, calls } = stage;

  test('renews a lease at a third of its time, again and again', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    for (let round = 1; round <= 5; round += 1) {
      await pass(740);
      expect(calls()).toEqual([]);
      await pass(261);
      const [call] = calls();
      expect(call?.args.slice(1)).toEqual(['1', 'key', `${TTL}`, 'holder of key']);
      if (call !== undefined) alive(call);
      await pass(0);
      expect(watched.state).toBe('renewed');
      expect(watched.deadline - now()).toBeGreaterThan(TTL - safetyMargin(TTL) - 270);
    }
    expect(stage.listener.gone).not.toHaveBeenCalled();
  });

  test('renews many leases in few calls of at most 100', async () => {
    const leases = Array.from({ length: 250 }, (_, index) => lease(`key ${index}`));
    for (const one of leases) stage.watchdog.watch(one, stage.listener);
    expect(stage.watchdog.size).toBe(250);
    await pass(1001);
    const sent = calls();
    expect(sent.flatMap(keysOf).toSorted()).toEqual(leases.map(({ target }) => target.key).toSorted());
    expect(sent).toHaveLength(3);
    expect(Math.max(...sent.map((call) => keysOf(call).length))).toBeLessThanOrEqual(100);
  });

  test('sends nothing for a lease that is not watched any more', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    stage.watchdog.unwatch(watched);
    await pass(TTL);
    expect(calls()).toEqual([]);
    expect([stage.watchdog.size, stage.wheel.size]).toEqual([0, 0]);
  });

  test('stops, and reports a loss, when Redis answers that the holder has nothing', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    await pass(1001);
    calls()[0]?.answer([[0]]);
    await pass(TTL);
    expect(stage.listener.gone).toHaveBeenCalledOnce();
    expect(watched.state).toBe('lost');
    expect(calls()).toEqual([]);
    expect([stage.watchdog.size, stage.wheel.size]).toEqual([0, 0]);
  });

  test.each(['a renewal', 'an extension'])(
    'sends %s no more that waits when its lease is lost',
    async (what) => {
      const watched = lease();
      stage.watchdog.watch(watched, stage.listener);
      stage.client.cut();
      const answer = what === 'an extension' ? stage.watchdog.renewNow(watched, 10 * TTL) : undefined;
      await pass(what === 'an extension' ? 500 : 1001);
      watched.lose();
      stage.watchdog.unwatch(watched);
      stage.client.ready();
      await pass(TTL);
      expect(calls()).toEqual([]);
      const failure = await answer;
      expect(failure instanceof RedisFailure ? failure.kind : failure).toBe(
        what === 'an extension' ? 'unsent' : undefined,
      );
      expect(stage.listener.unknown).not.toHaveBeenCalled();
    },
  );

  test('retries soon when there is no answer, and reports that once', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    await pass(1001);
    calls()[0]?.fail(new Error('Connection is closed.'));
    await pass(0);
    expect(watched.state).toBe('unknown');
    await pass(301);
    calls()[0]?.fail(new Error('Connection is closed.'));
    await pass(301);
    expect(stage.listener.unknown).toHaveBeenCalledOnce();
    const [call] = calls();
    if (call !== undefined) alive(call);
    await pass(0);
    expect(watched.state).toBe('renewed');
    expect(stage.listener.gone).not.toHaveBeenCalled();
  });

  test('counts the deadline from the sending of a renewal, however late its reply', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    await pass(1001);
    const [call] = calls();
    await pass(700);
    if (call !== undefined) alive(call);
    await pass(0);
    expect(watched.deadline - now()).toBeLessThanOrEqual(TTL - safetyMargin(TTL) - 700);
  });

  test('does not let a lease that hangs delay the others', async () => {
    const [hanging, healthy] = [lease('hanging'), lease('healthy')];
    stage.watchdog.watch(hanging, stage.listener);
    await pass(400);
    stage.watchdog.watch(healthy, stage.listener);
    await pass(601);
    expect(calls().flatMap(keysOf)).toEqual(['hanging']);
    await pass(400);
    expect(calls().flatMap(keysOf)).toEqual(['healthy']);
  });

  test('renews nothing for a hold whose deadline has come in the same moment, after a stall', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    stage.listener.checkDeadlines.mockImplementation(() => stage.watchdog.unwatch(watched));
    await pass(TTL);
    expect(stage.listener.checkDeadlines).toHaveBeenCalledOnce();
    expect(calls()).toEqual([]);
  });

  test('notifies the hold that has the lease by now, when it was handed off during a renewal', async () => {
    const watched = lease();
    stage.watchdog.watch(watched, stage.listener);
    await pass(1001);
    const [call] = calls();
    const next = stage.newListener();
    stage.watchdog.unwatch(watched);
    stage.watchdog.watch(watched, next);
    call?.answer([[0]]);
    await pass(0);
    expect(next.gone).toHaveBeenCalledOnce();
    expect(stage.listener.gone).not.toHaveBeenCalled();
  });

  test.each([0, 500, 1001])(
    'goes on for the hold that a lease was handed to after %i ms, when the one before it lets go of it',
    async (after) => {
      const watched = lease();
      stage.watchdog.watch(watched, stage.listener);
      await pass(after);
      const sent = calls();
      const next = stage.newListener();
      stage.watchdog.watch(watched, next);
      stage.watchdog.unwatch(watched, stage.listener);
      expect(stage.watchdog.size).toBe(1);
      for (const call of sent) alive(call);
      await pass(1001);
      calls()[0]?.answer([[0]]);
      await pass(0);
      expect(next.gone).toHaveBeenCalledOnce();
      expect(stage.listener.gone).not.toHaveBeenCalled();
      expect([stage.watchdog.size, stage.wheel.size]).toEqual([0, 0]);
    },
  );

  test('is late with a lease that was not checked when its time had come', async () => {
    const watched = lease();
    expect(stage.watchdog.lateBy(watched)).toBe(0);
    stage.watchdog.watch(watched, stage.listener);
    expect(stage.watchdog.lateBy(watched)).toBe(0);
    stage.wheel.cancel(watched);
    await pass(2000);
    expect(stage.watchdog.lateBy(watched)).toBeGreaterThanOrEqual(1000);
    expect(stage.watchdog.lateBy(watched)).toBeLessThan(1300);
  });

  test('reports that a lease is renewed, and not that it was only checked', async () => {
    const watched = lease();
    const answered = stage.watchdog.renewNow(watched, 0, stage.listener);
    await pass(0);
    for (const call of calls()) alive(call);
    expect(await answered).toBe(true);
    expect(stage.listener.renewed).not.toHaveBeenCalled();
    const renewed = stage.watchdog.renewNow(watched, TTL, stage.listener);
    await pass(0);
    for (const call of calls()) alive(call);
    expect(await renewed).toBe(true);
    expect(stage.listener.renewed).toHaveBeenCalledOnce();
  });

  test('reports the result of a requested renewal in the async context of the request', async () => {
    const request = new AsyncLocalStorage<string>();
    const watched = lease();
    const contexts: (string | undefined)[] = [];
    stage.listener.gone.mockImplementation(() => void contexts.push(request.getStore()));
    const answered = request.run('request 7', () => stage.watchdog.renewNow(watched, TTL, stage.listener));
    await pass(0);
    for (const call of calls()) call.answer([[0]]);
    expect(await answered).toBe(false);
    expect(contexts).toEqual(['request 7']);
  });

  test('goes on with a lease whose listener throws, and with those that travel beside it', async () => {
    const raised = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
    const [bad, good] = [lease('bad'), lease('good')];
    const broken = stage.newListener();
    broken.unknown.mockImplementation(() => {
      throw new Error('broken');
    });
    stage.watchdog.watch(bad, broken);
    stage.watchdog.watch(good, stage.listener);
    await pass(1001);
    calls()[0]?.fail(new Error('Connection is closed.'));
    await pass(0);
    expect([bad.state, good.state]).toEqual(['unknown', 'unknown']);
    expect(stage.listener.unknown).toHaveBeenCalledOnce();
    expect(raised).toHaveBeenCalledOnce();
    raised.mockRestore();
    await pass(301);
    expect(calls().flatMap(keysOf).toSorted()).toEqual(['bad', 'good']);
  });
});
