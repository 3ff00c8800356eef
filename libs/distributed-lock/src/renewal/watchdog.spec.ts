import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeClient, type Command } from '../../../../test/support/fake.client.js';
import { ClientLifecycle } from '../redis/client.lifecycle.js';
import { PubSubMode } from '../redis/pub-sub.mode.js';
import { CommandConnection } from '../redis/command.connection.js';
import { ReentrantScripts } from '../scripts/reentrant.scripts.js';
import { ScriptCaller } from '../scripts/script.caller.js';
import { ScriptRunner } from '../scripts/script.runner.js';
import { now } from '../timing/monotonic.clock.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { instant, Lease, safetyMargin } from './lease.js';
import { Watchdog } from './watchdog.js';

const TTL = 3000;

const newListener = () => ({
  renewalTtl: TTL,
  gone: vi.fn<() => void>(),
  unknown: vi.fn<(why: string) => void>(),
});

describe('the watchdog', () => {
  let wheel: TimerWheel;
  let client: FakeClient;
  let scripts: ReentrantScripts;
  let watchdog: Watchdog;
  let listener: ReturnType<typeof newListener>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    wheel = new TimerWheel();
    client = new FakeClient();
    const connection = new CommandConnection({
      lifecycle: new ClientLifecycle(client, wheel, 3000),
      mode: new PubSubMode(false, 'auto'),
      wheel,
      silence: 3000,
      restart: () => undefined,
    });
    client.ready();
    scripts = new ReentrantScripts(new ScriptCaller(new ScriptRunner(connection, wheel, 1000)));
    watchdog = new Watchdog(wheel, TTL);
    listener = newListener();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const lease = (key = 'key', ttl = TTL) => new Lease(key, `holder of ${key}`, ttl, instant(), scripts);
  const onlyLooking = () => Object.assign(listener, { renewalTtl: 0 });
  /** Lets `ms` pass, and what is due happen, immediates included. */
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await new Promise(setImmediate);
  };
  const calls = () => client.take('evalsha');
  const keysOf = ({ args }: Command) => args.slice(2, 2 + Number(args[1]));
  const alive = (call: Command, left: number = TTL) => {
    call.answer(keysOf(call).map(() => [1, left]));
  };

  test('renews a lease at a third of its time, again and again', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    for (let round = 1; round <= 5; round += 1) {
      await pass(840);
      expect(calls()).toEqual([]);
      await pass(161);
      const [call] = calls();
      expect(call?.args.slice(1)).toEqual(['1', 'key', 'holder of key', `${TTL}`]);
      if (call !== undefined) alive(call);
      await pass(0);
      expect(watched.state).toBe('renewed');
      expect(watched.deadline - now()).toBeGreaterThan(TTL - safetyMargin(TTL) - 170);
    }
    expect(listener.gone).not.toHaveBeenCalled();
  });

  test('renews many leases in few calls of at most 100', async () => {
    const leases = Array.from({ length: 250 }, (_, index) => lease(`key ${index}`));
    for (const one of leases) watchdog.watch(one, listener);
    expect(watchdog.size).toBe(250);
    await pass(1001);
    const sent = calls();
    expect(sent.flatMap(keysOf).toSorted()).toEqual(leases.map(({ key }) => key).toSorted());
    expect(sent.length).toBeLessThan(12);
    expect(Math.max(...sent.map((call) => keysOf(call).length))).toBeLessThanOrEqual(100);
  });

  test('sends nothing for a lease that is not watched any more', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    watchdog.unwatch(watched);
    await pass(TTL);
    expect(calls()).toEqual([]);
    expect([watchdog.size, watchdog.isWatching(watched), wheel.size]).toEqual([0, false, 0]);
  });

  test('stops, and tells, when Redis says that the holder has nothing', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    await pass(1001);
    calls()[0]?.answer([[0]]);
    await pass(TTL);
    expect(listener.gone).toHaveBeenCalledOnce();
    expect(watched.state).toBe('lost');
    expect(calls()).toEqual([]);
    expect([watchdog.size, wheel.size]).toEqual([0, 0]);
  });

  test('goes on asking, soon, when there is no answer, and tells of that once', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    await pass(1001);
    calls()[0]?.fail(new Error('Connection is closed.'));
    await pass(0);
    expect(watched.state).toBe('unknown');
    await pass(301);
    calls()[0]?.fail(new Error('Connection is closed.'));
    await pass(301);
    expect(listener.unknown).toHaveBeenCalledOnce();
    const [call] = calls();
    if (call !== undefined) alive(call);
    await pass(0);
    expect(watched.state).toBe('renewed');
    expect(listener.gone).not.toHaveBeenCalled();
  });

  test('counts the deadline from the sending of a renewal, however late its reply', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    await pass(1001);
    const [call] = calls();
    await pass(700);
    if (call !== undefined) alive(call);
    await pass(0);
    expect(watched.deadline - now()).toBeLessThanOrEqual(TTL - safetyMargin(TTL) - 700);
  });

  test.each([
    ['at a third of its time', TTL / 2],
    ['as often as a renewed one, where it is longer', TTL * 100],
  ])('looks at a fixed lease %s, and does not renew it', async (_, ttl) => {
    const watched = lease('key', ttl);
    const { deadline } = watched;
    const third = Math.min(ttl, TTL) / 3;
    watchdog.watch(watched, onlyLooking());
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
    watchdog.watch(watched, onlyLooking());
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
    watchdog.watch(watched, onlyLooking());
    await pass(1001);
    const [call] = calls();
    if (call !== undefined) alive(call, 500);
    await pass(0);
    expect(watched.deadline - now()).toBeLessThanOrEqual(500 - safetyMargin(500));
  });

  test('tells the holder of a fixed lease that it is gone, long before its end', async () => {
    const watched = lease('key', TTL * 100);
    watchdog.watch(watched, onlyLooking());
    await pass(1001);
    calls()[0]?.answer([[0]]);
    await pass(0);
    expect(listener.gone).toHaveBeenCalledOnce();
    expect([watchdog.size, wheel.size]).toEqual([0, 0]);
  });

  test('does not let a lease that hangs delay the others', async () => {
    const [hanging, healthy] = [lease('hanging'), lease('healthy')];
    watchdog.watch(hanging, listener);
    await pass(400);
    watchdog.watch(healthy, listener);
    await pass(601);
    expect(calls().flatMap(keysOf)).toEqual(['hanging']);
    await pass(400);
    expect(calls().flatMap(keysOf)).toEqual(['healthy']);
  });

  test('tells the hold that has the lease by now, when it was handed on during a renewal', async () => {
    const watched = lease();
    watchdog.watch(watched, listener);
    await pass(1001);
    const [call] = calls();
    const next = newListener();
    watchdog.unwatch(watched);
    watchdog.watch(watched, next);
    call?.answer([[0]]);
    await pass(0);
    expect(next.gone).toHaveBeenCalledOnce();
    expect(listener.gone).not.toHaveBeenCalled();
  });
});
