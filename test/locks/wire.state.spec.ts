import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { RedisFleet } from './lock.fleet.js';
import { RedisView } from './redis.view.js';

const DAY = 24 * 3_600_000;

describe('in Redis, as Redisson sees it,', () => {
  let fleet: RedisFleet;
  let view: RedisView;
  let key: string;
  let channel: string;
  const one = () => fleet.one.getLock('x');
  const other = () => fleet.other.getLock('x');
  const holders = async () => (await view.lock(key))?.counts;
  const heard = () => view.heard(channel);
  /** The view listens, too. */
  const asleep = () => until('it sleeps', async () => (await fleet.sleepers('x')) === 2);

  beforeEach(async () => {
    fleet = await RedisFleet.open({ handOver: { time: '10s' } });
    view = new RedisView();
    key = fleet.key('x');
    channel = fleet.channel('x');
    await view.listen(channel);
  });
  afterEach(async () => {
    view.close();
    await fleet.close();
  });

  test('a hold is one field of a hash, its count, with the watchdog timeout as its lease', async () => {
    const handle = await one().lock();
    const { counts, ttl = 0 } = (await view.lock(key)) ?? {};
    expect(counts).toEqual({ [handle.holder]: '1' });
    expect(ttl).toBeGreaterThan(20_000);
    expect(ttl).toBeLessThanOrEqual(30_000);
    await handle.unlock();
    expect(await view.lock(key)).toBeUndefined();
    expect(await heard()).toEqual(['0']);
  });

  test('a fixed lease is the ttl, from 100 ms to ten years', async () => {
    const long = await one().lock({ leaseTime: 3650 * DAY });
    expect((await view.lock(key))?.ttl).toBeGreaterThan(3649 * DAY);
    await long.unlock();
    const short = await one().lock({ leaseTime: 100 });
    expect((await view.lock(key))?.ttl ?? 0).toBeLessThanOrEqual(100);
    await until('it is over', async () => (await view.lock(key)) === undefined);
    expect(await short.unlock()).toBe('lost');
    expect(await heard()).toEqual(['0']);
  });

  test('a re-entry counts under the same field, and only the last unlock is published', async () => {
    const outer = await one().lock();
    const { holder } = outer;
    const inner = await outer.run(() => one().lock());
    const innermost = await inner.run(() => one().lock());
    expect(await holders()).toEqual({ [holder]: '3' });
    await inner.unlock();
    expect(await holders()).toEqual({ [holder]: '2' });
    await outer.unlock();
    expect(await holders()).toEqual({ [holder]: '1' });
    expect(await heard()).toEqual([]);
    await innermost.unlock();
    expect(await view.lock(key)).toBeUndefined();
    expect(await heard()).toEqual(['0']);
  });

  test('a hand-off between watchdog holds is one longer hold of the same field, and is not published', async () => {
    const first = await one().lock();
    const waiting = one().lock();
    await first.unlock();
    const second = await waiting;
    expect(await holders()).toEqual({ [first.holder]: '1' });
    expect(second.holder).toBe(first.holder);
    expect(await heard()).toEqual([]);
    await second.unlock();
    expect(await heard()).toEqual(['0']);
  });

  test('a hand-off to a fixed lease is a new field with that lease, and is published only where that is shorter', async () => {
    const first = await one().lock();
    const waiting = one().lock({ leaseTime: '5s' });
    await first.unlock();
    const second = await waiting;
    const { counts, ttl = 0 } = (await view.lock(key)) ?? {};
    expect(counts).toEqual({ [second.holder]: '1' });
    expect(second.holder).not.toBe(first.holder);
    expect(ttl).toBeLessThanOrEqual(5000);
    expect(await heard()).toEqual(['1']);
    const third = one().lock();
    await second.unlock();
    expect((await view.lock(key))?.counts).toEqual({ [(await third).holder]: '1' });
    expect((await view.lock(key))?.ttl).toBeGreaterThan(20_000);
    expect(await heard()).toEqual([]);
    await (await third).unlock();
    expect(await heard()).toEqual(['0']);
  });

  test('a refused, timed out or aborted call leaves no trace, and is not published', async () => {
    const held = await one().lock();
    const abort = new AbortController();
    const aborted = other().lock({ signal: abort.signal });
    expect(await other().tryLock()).toBeNull();
    expect(await other().tryLock({ waitTime: 60 })).toBeNull();
    abort.abort('gone');
    await expect(aborted).rejects.toBe('gone');
    expect(await holders()).toEqual({ [held.holder]: '1' });
    expect(await heard()).toEqual([]);
    await held.unlock();
    expect(await heard()).toEqual(['0']);
  });

  test('a forced unlock is published, and the unlock of its victim is not', async () => {
    const held = await one().lock();
    await other().forceUnlock();
    expect(await heard()).toEqual(['0']);
    expect(await other().forceUnlock()).toBe(false);
    expect(await held.unlock()).toBe('lost');
    expect(await heard()).toEqual([]);
  });

  test('a foreign holder is respected whatever its id looks like, and named in the refusal', async () => {
    const foreign = '6e38a1f0-0000-4000-8000-000000000001:42:a-transaction';
    await view.redis.hset(key, foreign, 2);
    await view.redis.pexpire(key, 30_000);
    expect(await one().tryLock()).toBeNull();
    const refused = one().lock({ waitTime: 60 });
    await expect(refused).rejects.toMatchObject({ heldBy: { holder: foreign } });
    const waiting = one().lock();
    await asleep();
    // As Java frees it.
    await view.redis.multi().del(key).publish(channel, '0').exec();
    await (await waiting).unlock();
  });

  test('messages that are of other versions, or no numbers, do no harm', async () => {
    const held = await one().lock();
    const waiting = other().lock();
    await asleep();
    for (const payload of ['7', '-1', '9223372036854775807', '', 'text', '1', '0'])
      await view.redis.publish(channel, payload);
    expect(await other().tryLock({ waitTime: 60 })).toBeNull();
    await held.unlock();
    await (await waiting).unlock();
  });

  test('a foreign lock without a lease is polled for, as its end is unknown', async () => {
    await view.redis.hset(key, 'somebody:1', 1);
    expect(await one().remainTimeToLive()).toBe(-1);
    const waiting = one().lock({ waitTime: '5s' });
    await asleep();
    // The attempt after the subscription goes before these on the same connection.
    for (let turn = 0; turn < 3; turn += 1) await one().isLocked();
    await view.redis.del(key);
    await (await waiting).unlock();
  });
});
