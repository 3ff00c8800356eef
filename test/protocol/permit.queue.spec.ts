import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { counterOf, send, sweep, type Counter, type Operation } from './counter.stage.js';
import { acquire, pass, permits, putPermits, readPermits, release, wait } from './permit.calls.js';
import { coarse, ProtocolStage } from './protocol.stage.js';

const clientOf = (digit: 1 | 2 | 3 | 4) => `6e38a1f0-0000-4000-8000-00000000000${digit}`;
const [A, B, C, D] = [clientOf(1), clientOf(2), clientOf(3), clientOf(4)];
/** Of those that have permits, and of attempts. */
const [HELD, OTHER] = ['00'.repeat(16), '11'.repeat(16)];
const permitOf = (client: string) => `${client.at(-1)}f`.repeat(16);
const placeOf = (client: string) => `${client}:${permitOf(client)}`;
const S10 = 10_000;
const S20 = 20_000;
const S60 = 60_000;

let stage: ProtocolStage;
let counter: Counter;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  counter = counterOf(stage.names().lock);
});
afterEach(() => sweep(stage, counter));
afterAll(() => stage.close());

const channelOf = (client: string) => `${counter.semaphoreChannel}:${client}`;
const ask = async (operation: Operation) => coarse(await send(stage, counter, operation));
const waitAs = (client: string, options: Parameters<typeof wait>[2] = {}) =>
  ask(wait(permitOf(client), client, options));

/** The queue as it is stored: places and listeners with their scores. */
const queue = () => stage.redis.zrange(counter.waiting, '0', '-1', 'WITHSCORES');

/** What was published to these clients since they began to listen. */
const heard = (...clients: readonly string[]) => stage.heardBy(clients, channelOf);

/** All permits are taken, by HELD and by OTHER; the clients listen to their channels, and have a place each, the first two with a listener. */
async function inLine(...clients: readonly string[]): Promise<void> {
  await putPermits(stage, counter, permits(0, { [HELD]: S60, [OTHER]: S60 }));
  for (const [index, client] of clients.entries()) {
    await stage.listen(channelOf(client));
    await waitAs(client, { listens: index < 2 });
  }
}

describe('a place in the queue of a semaphore', () => {
  test('is behind all others, named by its ticket, and kept when it is requested again', async () => {
    await inLine();
    expect(await waitAs(A)).toEqual([0, S60, HELD, 1, 0, 1, 1, '']);
    expect(await waitAs(B)).toEqual([0, S60, HELD, 2, 0, 1, 2, '']);
    expect(await waitAs(A)).toEqual([0, S60, HELD, 1, 0, 1, 2, '']);
    expect(await queue()).toEqual([placeOf(A), '1', placeOf(B), '2']);
    expect(coarse(await stage.redis.pttl(counter.waiting))).toBe(S60);
  });

  test('is there where no permit ever expires, and where there is no semaphore', async () => {
    await putPermits(stage, counter, permits(0, { [HELD]: 'never' }));
    expect(await waitAs(A)).toEqual([0, -1, HELD, 1, 0, 1, 1, '']);
    await stage.redis.del(counter.key, counter.timeout);
    expect(await waitAs(B)).toEqual([0, -1, '', 2, 0, 1, 2, '']);
  });

  test('ends with the permit, and the key ends with its last member', async () => {
    await inLine();
    await waitAs(A);
    await ask(release(HELD));
    expect(await waitAs(A)).toEqual([1, 1, 0, 0, '']);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(A)]: S10, [OTHER]: S60 }));
    expect(await stage.redis.exists(counter.waiting)).toBe(0);
  });

  test('is given up by a release under its permit id, which gives back nothing', async () => {
    await inLine(A, B);
    expect(await ask(release(permitOf(A), A))).toEqual([0]);
    expect(await queue()).toEqual([`listener:${A}`, '-1', `listener:${B}`, '-1', placeOf(B), '2']);
    expect(await heard(A, B)).toEqual([]);
    expect(await stage.redis.get(counter.key)).toBe('0');
  });

  test('that is given up while a permit is available passes the turn on', async () => {
    await inLine(A, B);
    await stage.redis.set(counter.key, 1);
    expect(await ask(release(permitOf(A), A))).toEqual([0]);
    expect(await heard(A, B)).toEqual([`2 come ${permitOf(B)}`]);
  });

  test('has a lease that ends soon announced to the listeners', async () => {
    await inLine(A, B, C);
    await stage.redis.zrem(counter.waiting, placeOf(A), placeOf(B));
    await stage.redis.set(counter.key, 1);
    expect(await waitAs(C, { lease: 1000, soon: 3000 })).toEqual([1, 1, 0, 0, '']);
    expect(await heard(A, B)).toEqual(['1 ends 1000', '2 ends 1000']);
  });
});

describe('a permit that is available', () => {
  beforeEach(async () => {
    await inLine(A, B);
    await stage.redis.set(counter.key, 1);
  });

  test('is granted to the first place alone', async () => {
    expect(await waitAs(B, { listens: true })).toEqual([0, -2, HELD, 2, 1, 0, 2, placeOf(A)]);
    expect(await waitAs(C)).toEqual([0, -2, HELD, 3, 0, 0, 2, placeOf(A)]);
    expect(await waitAs(A, { listens: true })).toEqual([1, 1, 0, 1, '']);
  });

  test('is granted to a process that was dropped, and has a lower ticket than the first', async () => {
    await stage.redis.zrem(counter.waiting, placeOf(A));
    expect(await waitAs(A, { ticket: 1, listens: true })).toEqual([1, 1, 0, 1, '']);
  });

  test('is not taken by a first attempt that is ready to wait, and is by one that is not', async () => {
    const permit = permitOf(C);
    expect(await ask(acquire(permit, S10, 1))).toEqual([3, placeOf(A)]);
    expect(await ask(acquire(permit, S10, 0))).toEqual([1, 1, 0]);
  });

  test('is given a full lease again where the answer was lost, also if others are first by now', async () => {
    await waitAs(A, { lease: 5000, listens: true });
    await stage.redis.set(counter.key, 1);
    expect(await waitAs(A, { listens: true })).toEqual([1, 1, 1, 1, placeOf(B)]);
    expect(await stage.redis.get(counter.key)).toBe('1');
  });

  test('that a process takes past its place, for it cannot be notified, ends the place', async () => {
    const permit = permitOf(D);
    await waitAs(D);
    expect(await ask(acquire(permit, S10, 0, D))).toEqual([1, 1, 0]);
    expect(await queue()).not.toContain(placeOf(D));
  });

  test('beside another one notifies the next process with the grant', async () => {
    await stage.redis.set(counter.key, 2);
    expect(await waitAs(A, { listens: true })).toEqual([1, 1, 1, 1, placeOf(B)]);
    expect(await heard(A, B)).toEqual([`2 come ${permitOf(B)}`]);
    expect(await waitAs(B, { listens: true })).toEqual([1, 1, 0, 1, '']);
  });
});

describe('a release of a permit', () => {
  test('notifies the first process alone, and nothing is published that only listeners would hear', async () => {
    await inLine(A, B, C);
    // The stage listens to the channel of the semaphore with one connection, which is that of the one listener.
    await stage.listen(counter.semaphoreChannel);
    await stage.redis.zrem(counter.waiting, `listener:${B}`);
    expect(await ask(release(HELD))).toEqual([1, 0, placeOf(A)]);
    expect(await heard(A, B, C)).toEqual([`1 come ${permitOf(A)}`, '3 listen']);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual([]);
  });

  test('whose answer was lost finds nothing, and notifies no process again', async () => {
    await inLine(A);
    await ask(release(HELD));
    expect(await ask(release(HELD))).toEqual([0]);
    expect(await heard(A)).toEqual([`1 come ${permitOf(A)}`]);
  });

  test('passes over processes that have died, and takes their places and listeners away', async () => {
    await inLine();
    for (const client of [A, B]) await waitAs(client, { listens: true });
    await stage.listen(channelOf(C));
    await waitAs(C);
    expect(await ask(release(HELD))).toEqual([1, 0, placeOf(C)]);
    expect(await queue()).toEqual([placeOf(C), '3']);
  });

  test('takes what is no place out of the queue', async () => {
    await inLine(A);
    await stage.redis.zadd(counter.waiting, 1, '0 stranger');
    expect(await ask(release(HELD))).toEqual([1, 0, placeOf(A)]);
    expect(await queue()).not.toContain('0 stranger');
  });

  test('notifies no process while too many permits were taken away', async () => {
    await inLine(A, B);
    await stage.redis.set(counter.key, -3);
    expect(await ask(release(HELD))).toEqual([1, 0, '']);
    expect(await heard(A, B)).toEqual([]);
  });

  test('is left to others that listen every second time, and is published to them', async () => {
    await inLine(A);
    // Two connections listen: that of the stage stands for the one listener.
    const others = stage.redis.duplicate();
    await Promise.all([others.subscribe(counter.semaphoreChannel), stage.listen(counter.semaphoreChannel)]);
    expect(await ask(release(HELD))).toEqual([1, 1, '']);
    expect(await ask(release(OTHER))).toEqual([1, 1, placeOf(A)]);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual(['1', '2']);
    expect(await heard(A)).toEqual([`1 come ${permitOf(A)}`]);
    others.disconnect();
  });

  test('of a permit whose lease was over is published to the listeners, for its process is no guard', async () => {
    await inLine(A);
    await stage.listen(counter.semaphoreChannel);
    await putPermits(stage, counter, permits(0, { [HELD]: -5000 }));
    expect(await ask(release(HELD))).toEqual([0]);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual(['1']);
  });
});

describe('a pass', () => {
  test('finds every permit taken, and says when the first one expires', async () => {
    await inLine(A, B);
    expect(await ask(pass())).toEqual([0, S60, HELD, 2, '']);
  });

  test('notifies the first process, and one that has not come loses its place to the next one', async () => {
    await inLine(A, B, C);
    await stage.redis.set(counter.key, 1);
    expect(await ask(pass())).toEqual([1, placeOf(A)]);
    expect(await ask(pass({ absent: placeOf(A) }))).toEqual([1, placeOf(B)]);
    expect(await heard(A, B)).toEqual([
      `1 come ${permitOf(A)}`,
      `1 come ${permitOf(A)}`,
      `2 come ${permitOf(B)}`,
    ]);
    expect(await queue()).toEqual([`listener:${B}`, '-1', placeOf(B), '2', placeOf(C), '3']);
  });

  test('takes back the permits whose leases are over, and notifies the first process', async () => {
    await inLine(A);
    await putPermits(stage, counter, permits(0, { [HELD]: -5000 }));
    expect(await ask(pass())).toEqual([1, placeOf(A)]);
    expect(await stage.redis.get(counter.key)).toBe('1');
  });

  test('gives up a place, and finds none', async () => {
    await inLine(A);
    await stage.redis.set(counter.key, 1);
    expect(await ask(pass({ leaving: placeOf(A) }))).toEqual([2]);
  });

  test('leaves the turn to others that listen', async () => {
    await inLine(A);
    await stage.redis.set(counter.key, 1);
    const others = stage.redis.duplicate();
    await Promise.all([others.subscribe(counter.semaphoreChannel), stage.listen(counter.semaphoreChannel)]);
    expect(await ask(pass({ yields: true }))).toEqual([3]);
    expect(await ask(pass())).toEqual([1, placeOf(A)]);
    others.disconnect();
  });
});

describe('where others listen to the channel of a semaphore', () => {
  let others: Redis;
  beforeEach(async () => {
    await inLine(A, B);
    // Two connections listen beside the one of the stage, which stands for both listeners.
    others = stage.redis.duplicate();
    await Promise.all([others.subscribe(counter.semaphoreChannel), stage.listen(counter.semaphoreChannel)]);
    await stage.redis.zrem(counter.waiting, `listener:${B}`);
    await stage.redis.zadd(counter.waiting, -2, `listener:${A}`);
  });
  afterEach(() => others.disconnect());

  test('a release gives the first place a permit at once, with a short lease, which its process takes over', async () => {
    expect(await ask(release(HELD, undefined, S20))).toEqual([1, 1, placeOf(A)]);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(A)]: S20, [OTHER]: S60 }));
    expect(await waitAs(B)).toEqual([0, S20, permitOf(A), 2, 0, 1, 2, placeOf(A)]);
    expect(await waitAs(A, { listens: true })).toEqual([1, 1, 0, 1, '']);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(A)]: S10, [OTHER]: S60 }));
    expect(await queue()).not.toContain(placeOf(A));
  });

  test('a process gets just the lease that it asks for, also a shorter one', async () => {
    await ask(release(HELD, undefined, S60));
    expect(await waitAs(A, { listens: true })).toEqual([1, 1, 0, 1, '']);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(A)]: S10, [OTHER]: S60 }));
  });

  test('a permit whose process does not come is taken back, and given to the next one', async () => {
    await ask(release(HELD, undefined, S20));
    expect(await ask(pass())).toEqual([0, S20, permitOf(A), 2, placeOf(A)]);
    expect(await ask(pass({ absent: placeOf(A), lease: S20 }))).toEqual([1, placeOf(B)]);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(B)]: S20, [OTHER]: S60 }));
    expect(await queue()).not.toContain(placeOf(A));
  });

  test('a place that is given up gives its permit back, and one that has come keeps it', async () => {
    await ask(release(HELD, undefined, S20));
    expect(await ask(pass({ leaving: placeOf(A) }))).toEqual([1, placeOf(B)]);
    expect(await readPermits(stage, counter)).toEqual(permits(1, { [OTHER]: S60 }));
    expect(await waitAs(B)).toEqual([1, 1, 0, 0, '']);
    expect(await ask(pass({ leaving: placeOf(B) }))).toEqual([0, S10, permitOf(B), 0, '']);
    expect(await readPermits(stage, counter)).toEqual(permits(0, { [permitOf(B)]: S10, [OTHER]: S60 }));
  });

  test.each(['absent', 'leaving'])(
    'the others are notified of a permit that the last place of the queue was given, and that is %s',
    async (what) => {
      await stage.redis.zrem(counter.waiting, placeOf(B));
      await ask(release(HELD, undefined, S20));
      expect(await ask(pass({ [what]: placeOf(A) }))).toEqual([2]);
      expect(await readPermits(stage, counter)).toEqual(permits(1, { [OTHER]: S60 }));
      // The first one is that of the release.
      expect(await stage.messages(counter.semaphoreChannel)).toEqual(['1', '1']);
      expect(await ask(pass({ [what]: placeOf(A) }))).toEqual([2]);
      expect(await stage.messages(counter.semaphoreChannel)).toEqual(['1', '1']);
    },
  );

  test('a release under its permit id gives back what it was given, and passes the turn on', async () => {
    await ask(release(HELD, undefined, S20));
    expect(await ask(release(permitOf(A), A, S20))).toEqual([1, 1, '']);
    expect(await ask(pass({ lease: S20 }))).toEqual([1, placeOf(B)]);
  });
});
