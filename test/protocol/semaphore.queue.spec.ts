import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { amount, counterOf, put, read, send, sweep, type Counter, type Operation } from './counter.stage.js';
import { coarse, ProtocolStage } from './protocol.stage.js';
import { acquire, add, KEEP, pass, remove, set, undo, wait, type Wait } from './semaphore.calls.js';

const clientOf = (digit: 1 | 2 | 3) => `6e38a1f0-0000-4000-8000-00000000000${digit}`;
const [A, B, C] = [clientOf(1), clientOf(2), clientOf(3)];
const placeOf = (client: string, permits = 1) => `${client}:${String(permits).padStart(10, '0')}7`;
const numberOf = (permits = 1) => placeOf('', permits).slice(1);
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
const waitAs = (client: string, permits = 1, options: Wait = {}) =>
  ask(wait(placeOf(client, permits), options));

/** The queue as it is stored: places and listeners with their scores. */
const queue = () => stage.redis.zrange(counter.waiting, '0', '-1', 'WITHSCORES');

/** The places that were given permits. */
const given = () => stage.redis.hkeys(counter.given);

const available = () => stage.redis.get(counter.key);

/** What was published to these clients since they began to listen. */
const heard = (...clients: readonly string[]) => stage.heardBy(clients, channelOf);

/** No permit is available; the clients listen to their channels, and wait for so many permits, the first two with a listener. */
async function inLine(...waiting: readonly (readonly [client: string, permits: number])[]): Promise<void> {
  await put(stage, counter.key, amount(0));
  for (const [index, [client, permits]] of waiting.entries()) {
    await stage.listen(channelOf(client));
    await waitAs(client, permits, { listens: index < 2 });
  }
}

describe('a place in the queue of a plain semaphore', () => {
  test('is behind all others, named by its ticket, and kept when it is requested again', async () => {
    await put(stage, counter.key, amount(0));
    expect(await waitAs(A)).toEqual([0, 0, '', 1, 0, 1, 1, '']);
    expect(await waitAs(B, 2)).toEqual([0, 0, '', 2, 0, 1, 2, '']);
    expect(await waitAs(A)).toEqual([0, 0, '', 1, 0, 1, 2, '']);
    expect(await queue()).toEqual([placeOf(A), '1', placeOf(B, 2), '2']);
    expect(coarse(await stage.redis.pttl(counter.waiting))).toBe(S60);
  });

  test('is there where there is no semaphore, and makes none', async () => {
    expect(await waitAs(A)).toEqual([0, 0, '', 1, 0, 1, 1, '']);
    expect(await available()).toBe(null);
  });

  test('ends with the permits, of which the record of the call says how many', async () => {
    await put(stage, counter.key, amount(0));
    await waitAs(A, 2);
    await ask(add(3));
    expect(await waitAs(A, 2)).toEqual([1, 1, 0, '']);
    expect(await read(stage, counter.record(placeOf(A, 2)))).toEqual(amount('2 1', KEEP));
    expect(await waitAs(A, 2)).toEqual([1, 1, 0, '']);
    expect(await available()).toBe('1');
    expect(await stage.redis.exists(counter.waiting)).toBe(0);
  });

  test('that is given up while a permit is available passes the turn on', async () => {
    await inLine([A, 1], [B, 1]);
    await stage.redis.set(counter.key, 1);
    expect(await ask(pass({ leaving: placeOf(A) }))).toEqual([1, placeOf(B)]);
    expect(await heard(A, B)).toEqual([`2 come ${numberOf()}`]);
  });

  test('of a call that is undone ends, and a late run of the call is refused', async () => {
    await inLine([A, 1], [B, 1]);
    await stage.redis.set(counter.key, 1);
    expect(await ask(undo(placeOf(A)))).toEqual([0]);
    expect(await heard(A, B)).toEqual([`2 come ${numberOf()}`]);
    expect(await waitAs(A)).toEqual([2]);
    expect(await queue()).not.toContain(placeOf(A));
  });
});

describe('permits that are available', () => {
  test('are granted to the first place alone', async () => {
    await inLine([A, 1], [B, 1]);
    await stage.redis.set(counter.key, 1);
    expect(await waitAs(B, 1, { listens: true })).toEqual([0, 1, '', 2, 1, 0, 2, placeOf(A)]);
    expect(await waitAs(C)).toEqual([0, 1, '', 3, 0, 0, 2, placeOf(A)]);
    expect(await waitAs(A, 1, { listens: true })).toEqual([1, 0, 1, '']);
  });

  test('do not wait for a place that needs more of them', async () => {
    await inLine([A, 3], [B, 2], [C, 1]);
    expect(await ask(add(2))).toEqual([1, 2, 0, placeOf(B, 2)]);
    expect(await waitAs(C)).toEqual([0, 2, '', 3, 0, 0, 2, placeOf(B, 2)]);
    expect(await waitAs(B, 2, { listens: true })).toEqual([1, 0, 1, '']);
    expect(await ask(add(3, { call: 'd' }))).toEqual([1, 3, 0, placeOf(A, 3)]);
  });

  test('are granted to a process that was dropped, and has a lower ticket than the first', async () => {
    await inLine([A, 1], [B, 1]);
    await stage.redis.set(counter.key, 1);
    await stage.redis.zrem(counter.waiting, placeOf(A));
    expect(await waitAs(A, 1, { ticket: 1, listens: true })).toEqual([1, 0, 1, '']);
  });

  test('are not taken by a first attempt that is ready to wait, and are by one that is not', async () => {
    await inLine([A, 2]);
    await stage.redis.set(counter.key, 2);
    expect(await ask(acquire(1, placeOf(C), KEEP, 1))).toEqual([3, 2]);
    expect(await ask(acquire(1, placeOf(C), KEEP, 0))).toEqual([1, 1]);
    // What is left is too little for the place, and holds up no other call.
    expect(await ask(acquire(1, placeOf(B), KEEP, 1))).toEqual([1, 0]);
  });

  test('that are left notify the next process with the grant', async () => {
    await inLine([A, 1], [B, 1]);
    await stage.redis.set(counter.key, 2);
    expect(await waitAs(A, 1, { listens: true })).toEqual([1, 1, 1, placeOf(B)]);
    expect(await heard(A, B)).toEqual([`2 come ${numberOf()}`]);
  });
});

describe('a release of permits', () => {
  test('notifies the first process alone, and nothing is published that only listeners would hear', async () => {
    await inLine([A, 1], [B, 1], [C, 1]);
    // The stage listens to the channel of the semaphore with one connection, which is that of the one listener.
    await stage.listen(counter.semaphoreChannel);
    await stage.redis.zrem(counter.waiting, `listener:${B}`);
    expect(await ask(add(1))).toEqual([1, 1, 0, placeOf(A)]);
    expect(await heard(A, B, C)).toEqual([`1 come ${numberOf()}`, '3 listen']);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual([]);
  });

  test('whose answer was lost adds nothing, and notifies the process once more', async () => {
    await inLine([A, 1]);
    await ask(add(1));
    expect(await ask(add(1))).toEqual([1, 1, 0, placeOf(A)]);
    expect(await heard(A)).toEqual([`1 come ${numberOf()}`, `1 come ${numberOf()}`]);
    expect(await available()).toBe('1');
  });

  test('passes over processes that have died, and takes their places and listeners away', async () => {
    await put(stage, counter.key, amount(0));
    for (const client of [A, B]) await waitAs(client, 1, { listens: true });
    await stage.listen(channelOf(C));
    await waitAs(C);
    expect(await ask(add(1))).toEqual([1, 1, 0, placeOf(C)]);
    expect(await queue()).toEqual([placeOf(C), '3']);
  });

  test('takes what is no place out of the queue', async () => {
    await inLine([A, 1]);
    await stage.redis.zadd(counter.waiting, 1, '0 stranger');
    expect(await ask(add(1))).toEqual([1, 1, 0, placeOf(A)]);
    expect(await queue()).not.toContain('0 stranger');
  });

  test('notifies no process while too many permits were taken away', async () => {
    await inLine([A, 1]);
    await stage.redis.set(counter.key, -3);
    expect(await ask(add(1))).toEqual([1, -2, 0, '']);
    expect(await heard(A)).toEqual([]);
  });

  test('of an expirable semaphore is published, for its queue has listeners that act', async () => {
    await inLine([A, 1]);
    await stage.listen(counter.semaphoreChannel);
    const { script, args } = add(1, { payload: 'change' });
    const noQueue = (names: Counter) => [names.key, names.record('c'), names.key, names.key];
    expect(await ask({ script, args, keys: noQueue })).toEqual([1, 1, 1]);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual(['1']);
    expect(await heard(A)).toEqual([]);
  });
});

describe('a pass', () => {
  test('finds no permits, or too few', async () => {
    await inLine([A, 2], [B, 2]);
    expect(await ask(pass())).toEqual([0, 0, '', 2, '']);
    await stage.redis.set(counter.key, 1);
    expect(await ask(pass())).toEqual([0, 1, '', 2, '']);
    await stage.redis.del(counter.key, counter.waiting);
    expect(await ask(pass())).toEqual([2]);
  });

  test('notifies the first process, and one that has not come loses its place to the next one', async () => {
    await inLine([A, 1], [B, 1], [C, 1]);
    await stage.redis.set(counter.key, 1);
    expect(await ask(pass())).toEqual([1, placeOf(A)]);
    expect(await ask(pass({ absent: placeOf(A) }))).toEqual([1, placeOf(B)]);
    expect(await heard(A, B)).toEqual([
      `1 come ${numberOf()}`,
      `1 come ${numberOf()}`,
      `2 come ${numberOf()}`,
    ]);
    expect(await queue()).toEqual([`listener:${B}`, '-1', placeOf(B), '2', placeOf(C), '3']);
  });

  test('leaves the turn to others that listen', async () => {
    await inLine([A, 1]);
    await stage.redis.set(counter.key, 1);
    const others = stage.redis.duplicate();
    await Promise.all([others.subscribe(counter.semaphoreChannel), stage.listen(counter.semaphoreChannel)]);
    expect(await ask(pass({ yields: true }))).toEqual([3]);
    expect(await ask(pass())).toEqual([1, placeOf(A)]);
    others.disconnect();
  });
});

describe('where others listen to the channel of a plain semaphore', () => {
  let others: Redis;
  beforeEach(async () => {
    await inLine([A, 2], [B, 1]);
    // Two connections listen beside the one of the stage, which stands for both listeners.
    others = stage.redis.duplicate();
    await Promise.all([others.subscribe(counter.semaphoreChannel), stage.listen(counter.semaphoreChannel)]);
    await stage.redis.zrem(counter.waiting, `listener:${B}`);
    await stage.redis.zadd(counter.waiting, -2, `listener:${A}`);
  });
  afterEach(() => others.disconnect());

  test('every second release is left to them, and each is published', async () => {
    await stage.redis.zadd(counter.waiting, -1, `listener:${A}`);
    expect(await ask(add(2))).toEqual([1, 2, 1, '']);
    expect(await ask(add(1, { call: 'd' }))).toEqual([1, 3, 1, placeOf(A, 2)]);
    expect(await stage.messages(counter.semaphoreChannel)).toEqual(['2', '3']);
    expect(await heard(A)).toEqual([`1 come ${numberOf(2)}`]);
  });

  test('a release gives the first place its permits at once, which its process takes by its next call', async () => {
    expect(await ask(add(2))).toEqual([1, 2, 1, placeOf(A, 2)]);
    expect([await available(), await given()]).toEqual(['0', [placeOf(A, 2)]]);
    expect(await waitAs(B)).toEqual([0, 0, '', 2, 0, 1, 2, placeOf(A, 2)]);
    expect(await waitAs(A, 2, { listens: true })).toEqual([1, 0, 1, '']);
    expect([await available(), await given()]).toEqual(['0', []]);
    expect(await queue()).not.toContain(placeOf(A, 2));
    expect(await waitAs(A, 2, { listens: true })).toEqual([1, 0, 1, '']);
  });

  test('permits whose process does not come are taken back, and given to the next one', async () => {
    await ask(add(2));
    expect(await ask(pass())).toEqual([0, 0, '', 2, placeOf(A, 2)]);
    expect(await ask(pass({ absent: placeOf(A, 2), gives: true }))).toEqual([1, placeOf(B)]);
    expect([await available(), await given()]).toEqual(['1', [placeOf(B)]]);
    // It lives: it has its old place again.
    expect(await waitAs(A, 2, { ticket: 1 })).toEqual([0, 1, '', 1, 0, 1, 2, placeOf(B)]);
  });

  test('permits of a process that has died are taken back by the next pass', async () => {
    await ask(add(2));
    await stage.subscriber.unsubscribe(channelOf(A));
    expect(await ask(pass({ gives: true }))).toEqual([1, placeOf(B)]);
    expect([await available(), await given()]).toEqual(['1', [placeOf(B)]]);
  });

  test.each(['absent', 'leaving'])(
    'the others are notified of permits that the last place of the queue was given, and that is %s',
    async (what) => {
      await stage.redis.zrem(counter.waiting, placeOf(B));
      await ask(add(2));
      expect(await ask(pass({ [what]: placeOf(A, 2) }))).toEqual([2]);
      expect([await available(), await given()]).toEqual(['2', []]);
      // The first one is that of the release.
      expect(await stage.messages(counter.semaphoreChannel)).toEqual(['2', '2']);
      expect(await ask(pass({ [what]: placeOf(A, 2) }))).toEqual([2]);
      expect(await stage.messages(counter.semaphoreChannel)).toEqual(['2', '2']);
    },
  );

  test('an undo of the call gives back what its place was given, once', async () => {
    await ask(add(2));
    expect(await ask(undo(placeOf(A, 2)))).toEqual([1, 2, 1, '']);
    expect(await ask(undo(placeOf(A, 2)))).toEqual([0]);
    expect([await available(), await given()]).toEqual(['2', []]);
  });

  test('a call that cannot be notified any more takes what its place was given', async () => {
    await ask(add(2));
    expect(await ask(acquire(2, placeOf(A, 2)))).toEqual([1, 0]);
    expect([await available(), await given()]).toEqual(['0', []]);
    expect(await queue()).not.toContain(placeOf(A, 2));
  });

  test.each([
    ['deleted', () => ask(remove()), [1]],
    ['gone', () => stage.redis.del(counter.key), 1],
  ] as const)(
    'what was given of a semaphore that is %s is not added to the next one',
    async (_how, end, ended) => {
      await ask(add(2));
      expect(await end()).toEqual(ended);
      expect(await ask(set(3, 0, 's'))).toEqual([1, 3, 1, '']);
      expect(await given()).toEqual([]);
      expect(await ask(pass({ absent: placeOf(A, 2) }))).toEqual([1, placeOf(B)]);
      expect(await available()).toBe('3');
    },
  );

  test('what was given of a semaphore that is gone is not added to one that a release makes', async () => {
    await ask(add(2));
    await stage.redis.del(counter.key);
    expect(await ask(add(1, { call: 'd' }))).toEqual([1, 1, 1, '']);
    expect([await available(), await given()]).toEqual(['1', []]);
  });

  test('what is no place is forgotten among those that were given permits', async () => {
    await ask(add(2));
    await stage.redis.hset(counter.given, 'mode', 'read');
    expect(await ask(pass())).toEqual([0, 0, '', 2, placeOf(A, 2)]);
    expect(await given()).toEqual([placeOf(A, 2)]);
  });

  test('a key of another type in their stead is refused before a place is given up', async () => {
    await stage.redis.set(counter.given, 'value');
    const refused = [-1, expect.stringMatching(/^WRONGTYPE /), 'string'];
    expect(await ask(pass({ leaving: placeOf(B) }))).toEqual(refused);
    expect(await queue()).toContain(placeOf(B));
  });

  test('permits whose process does not come within a second are taken back by any pass', async () => {
    await ask(add(2));
    expect(await ask(pass())).toEqual([0, 0, '', 2, placeOf(A, 2)]);
    await stage.redis.hset(counter.given, placeOf(A, 2), (await stage.now()) - 1500);
    expect(await ask(pass({ gives: true }))).toEqual([1, placeOf(B)]);
    expect([await available(), await given()]).toEqual(['1', [placeOf(B)]]);
  });
});

test('a semaphore that is made notifies the first process that waits for it', async () => {
  await stage.listen(channelOf(A));
  await waitAs(A, 2, { listens: true });
  expect(await ask(set(2))).toEqual([1, 2, 0, placeOf(A, 2)]);
  expect(await heard(A)).toEqual([`come ${numberOf(2)}`].map((text) => `1 ${text}`));
});
