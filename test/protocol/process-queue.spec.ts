import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type Names } from './protocol.stage.js';
import { acquire, forceRelease, pass, release, send, wait, type Call } from './reentrant.calls.js';

const clientOf = (digit: 1 | 2 | 3 | 4) => `6e38a1f0-0000-4000-8000-00000000000${digit}`;
const [A, B, C, D] = [clientOf(1), clientOf(2), clientOf(3), clientOf(4)];
const S10 = 10_000;
const S60 = 60_000;
const HELD = 'ffffffff-0000-4000-8000-000000000000:7';

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

const channelOf = (client: string) => `${names.channel}:${client}`;
const ask = async (call: Call) => coarse(await send(stage, names, call));
const holdIt = () => ask(acquire(HELD, S60, 1));
const freeIt = () => ask(release(HELD, 0, S10));

/** The queue as it is stored: places and listeners with their scores. */
const queue = () => stage.redis.zrange(names.waiting, '0', '-1', 'WITHSCORES');

/** What was published to these clients, and on the lock's channel, since they began to listen. */
const heard = (...clients: readonly string[]) => stage.heardBy(clients, channelOf);

/** Clients that listen to their channels, and have a place each, the first two with a listener, while HELD holds the lock. */
async function inLine(...clients: readonly string[]): Promise<void> {
  await holdIt();
  for (const [index, client] of clients.entries()) {
    await stage.listen(channelOf(client));
    await ask(wait(`${client}:1`, { listens: index < 2 }));
  }
}

describe('a place in the queue of processes', () => {
  test('is behind all others, named by its ticket, and kept when it is requested again', async () => {
    await holdIt();
    expect(await ask(wait(`${A}:1`))).toEqual([0, S60, HELD, 1, 0, 1, 1, '']);
    expect(await ask(wait(`${B}:1`))).toEqual([0, S60, HELD, 2, 0, 1, 2, '']);
    expect(await ask(wait(`${A}:1`))).toEqual([0, S60, HELD, 1, 0, 1, 2, '']);
    expect(await ask(wait(`${C}:1`))).toEqual([0, S60, HELD, 3, 0, 1, 2, '']);
    expect(await queue()).toEqual([`${A}:1`, '1', `${B}:1`, '2', `${C}:1`, '3']);
  });

  test('outlives the last call of a waiter by the time that it names, which a call never shortens', async () => {
    await holdIt();
    await ask(wait(`${A}:1`, { life: S60 }));
    await ask(wait(`${B}:1`, { life: S10 }));
    expect(coarse(await stage.redis.pttl(names.waiting))).toBe(S60);
  });

  test('of a process that was dropped is the old one again, by its ticket', async () => {
    await inLine(A, B);
    await stage.redis.zrem(names.waiting, `${A}:1`);
    expect(await ask(wait(`${A}:1`, { ticket: 1, listens: true }))).toEqual([0, S60, HELD, 1, 1, 0, 2, '']);
  });

  test('ends with the grant, and the key ends with its last member', async () => {
    await holdIt();
    await ask(wait(`${A}:1`));
    await freeIt();
    expect(await ask(wait(`${A}:1`))).toEqual([1, 1, 0]);
    expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S10));
    expect(await stage.redis.exists(names.waiting)).toBe(0);
  });

  test('is given up by the release of its holder id, whatever holds the lock', async () => {
    await inLine(A, B);
    expect(await ask(release(`${A}:1`, 0, S10))).toEqual([0]);
    expect(await queue()).toEqual([`listener:${A}`, '-1', `listener:${B}`, '-1', `${B}:1`, '2']);
    expect(await heard(A, B)).toEqual([]);
  });

  test('that is given up while the lock is free passes the turn on', async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
    expect(await ask(release(`${A}:1`, 0, S10))).toEqual([0]);
    expect(await heard(A, B)).toEqual(['2 come 1']);
  });
});

describe('a lock that is free', () => {
  beforeEach(async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
  });

  test('is granted to the first place alone', async () => {
    expect(await ask(wait(`${B}:1`, { listens: true }))).toEqual([0, -2, '', 2, 1, 0, 2, `${A}:1`]);
    expect(await ask(wait(`${C}:1`))).toEqual([0, -2, '', 3, 0, 0, 2, `${A}:1`]);
    expect(await ask(wait(`${A}:1`))).toEqual([1, 1, 0]);
  });

  test('is granted to a process that was dropped, and has a lower ticket than the first', async () => {
    await stage.redis.zrem(names.waiting, `${A}:1`);
    expect(await ask(wait(`${A}:1`, { ticket: 1, listens: true }))).toEqual([1, 1, 1]);
    expect(await queue()).toEqual([`listener:${A}`, '-1', `listener:${B}`, '-1', `${B}:1`, '2']);
  });

  test('is not taken by a first attempt that is ready to wait, and is by one that is not', async () => {
    expect(await ask(acquire(`${C}:1`, S10, 1, 1))).toEqual([3, `${A}:1`]);
    expect(await ask(acquire(`${C}:1`, S10, 1, 0))).toEqual([1]);
  });

  test('that a process takes past its place, for it cannot be notified, ends the place', async () => {
    expect(await ask(acquire(`${B}:1`, S10, 1, 0))).toEqual([1]);
    expect(await queue()).not.toContain(`${B}:1`);
  });

  test('is granted again to the holder whose answer was lost, with a full lease', async () => {
    await ask(wait(`${A}:1`));
    await stage.redis.pexpire(names.lock, 5000);
    expect(await ask(wait(`${A}:1`))).toEqual([1, 1, 0]);
    expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S10));
  });
});

describe('a release', () => {
  test('notifies the first process alone, and nothing is published that only listeners would hear', async () => {
    await inLine(A, B, C);
    // The stage listens to the lock's channel with one connection, which is that of the one listener.
    await stage.listen(names.channel);
    await stage.redis.zrem(names.waiting, `listener:${B}`);
    expect(await freeIt()).toEqual([1, 0, `${A}:1`]);
    expect(await heard(A, B, C)).toEqual(['1 come 1', '3 listen']);
    expect(await stage.messages(names.channel)).toEqual([]);
  });

  test('whose answer was lost finds nothing, and notifies no process again', async () => {
    await inLine(A);
    await freeIt();
    expect(await freeIt()).toEqual([0]);
    expect(await heard(A)).toEqual(['1 come 1']);
  });

  test('passes over processes that have died, and takes their places and listeners away', async () => {
    await inLine(A, B, C);
    await stage.subscriber.unsubscribe(channelOf(A), channelOf(B));
    expect(await freeIt()).toEqual([1, 0, `${C}:1`]);
    expect(await queue()).toEqual([`${C}:1`, '3']);
    await ask(pass());
    expect(await heard(C)).toEqual(['3 come 1', '3 listen', '3 come 1']);
  });

  test('takes what is no place out of the queue', async () => {
    await inLine(A);
    await stage.redis.zadd(names.waiting, 1, '0 stranger');
    expect(await freeIt()).toEqual([1, 0, `${A}:1`]);
    expect(await queue()).not.toContain('0 stranger');
  });

  test('publishes to others where all processes of the queue have died', async () => {
    await inLine(A);
    await stage.subscriber.unsubscribe(channelOf(A));
    await stage.listen(names.channel);
    expect(await freeIt()).toEqual([1, 1, '']);
    expect(await stage.messages(names.channel)).toEqual(['0']);
    expect(await stage.redis.exists(names.waiting)).toBe(0);
  });

  test('leaves every second turn to others that listen to the channel of the lock', async () => {
    await inLine(A);
    const others = stage.redis.duplicate();
    await Promise.all([others.subscribe(names.channel), stage.listen(names.channel)]);
    const turns = [];
    const states: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      turns.push(await freeIt());
      states.push(await stage.state(names.lock));
      await stage.redis.del(names.lock);
      await holdIt();
    }
    others.disconnect();
    const [theirs, ours] = [
      [1, 1, ''],
      [1, 1, `${A}:1`],
    ];
    expect(turns).toEqual([theirs, ours, theirs, ours]);
    // In our turns they cannot take the lock past the first place.
    const taken = held({ [`${A}:1`]: 1 }, S10);
    expect(states).toEqual(['free', taken, 'free', taken]);
    expect(await heard(A)).toEqual(['1 come 1', '1 come 1']);
    expect(await stage.messages(names.channel)).toEqual(['0', '0', '0', '0']);
  });

  test('leaves the lock free where others listen and no listener of the queue is alive, so that they can take it', async () => {
    await holdIt();
    await stage.listen(channelOf(A));
    await ask(wait(`${A}:1`));
    await stage.listen(names.channel);
    expect(await freeIt()).toEqual([1, 1, `${A}:1`]);
    expect(await stage.state(names.lock)).toBe('free');
  });

  test('gives the lock to no place that it has removed, whoever listens to its channel', async () => {
    await holdIt();
    await ask(wait(`${A}:1`));
    await stage.listen(names.channel);
    const others = stage.redis.duplicate();
    // PUBLISH counts it, and NUMSUB does not.
    await others.psubscribe(`${names.channel}*`);
    expect(await freeIt()).toEqual([1, 1, '']);
    expect(await stage.state(names.lock)).toBe('free');
    others.disconnect();
  });

  test('to a count that stays changes nothing in the queue', async () => {
    await inLine(A);
    await ask(acquire(HELD, S60, 2));
    expect(await ask(release(HELD, 1, S60))).toEqual([2, 1]);
    expect(await heard(A)).toEqual([]);
  });
});

describe('the listeners', () => {
  test('are the first two that listen to the channel of the lock, and stay when their places end', async () => {
    await holdIt();
    expect(await ask(wait(`${A}:1`, { listens: true }))).toEqual([0, S60, HELD, 1, 1, 1, 1, '']);
    expect(await ask(wait(`${B}:1`))).toEqual([0, S60, HELD, 2, 0, 1, 2, '']);
    expect(await ask(wait(`${C}:1`, { listens: true }))).toEqual([0, S60, HELD, 3, 1, 0, 2, '']);
    expect(await ask(wait(`${D}:1`, { listens: true }))).toEqual([0, S60, HELD, 4, 0, 0, 2, '']);
    expect(await ask(wait(`${A}:1`, { listens: true }))).toEqual([0, S60, HELD, 1, 1, 0, 2, '']);
    await ask(release(`${A}:1`, 0, S10));
    expect(await queue()).toContain(`listener:${A}`);
    // One that does not listen any more is none.
    expect(await ask(wait(`${C}:1`))).toEqual([0, S60, HELD, 3, 0, 1, 2, '']);
    expect(await queue()).not.toContain(`listener:${C}`);
  });

  test('are listed with a grant as well', async () => {
    expect(await ask(wait(`${A}:1`, { listens: true }))).toEqual([1, 1, 1]);
    expect(await queue()).toEqual([`listener:${A}`, '-1']);
    expect(coarse(await stage.redis.pttl(names.waiting))).toBe(S60);
  });

  test('learn of a lease that ends before they look', async () => {
    await inLine(A, B, C);
    await stage.redis.del(names.lock);
    expect(await ask(wait(`${A}:1`, { lease: 500, soon: 3000 }))).toEqual([1, 1, 0]);
    expect(await heard(A, B, C)).toEqual(['1 ends 500', '2 ends 500']);
  });

  test('that resign are replaced by the last process that waits', async () => {
    await inLine(A, B, C, D);
    expect(await ask(pass({ leaving: `listener:${A}` }))).toEqual([0, S60, HELD, 2, '']);
    expect(await heard(A, B, C, D)).toEqual(['4 listen']);
    expect(await queue()).not.toContain(`listener:${A}`);
  });

  test('that resign last take the key with them', async () => {
    await inLine(A);
    await ask(release(`${A}:1`, 0, S10));
    expect(await ask(pass({ leaving: `listener:${A}` }))).toEqual([0, S60, HELD, 0, '']);
    expect(await stage.redis.exists(names.waiting)).toBe(0);
  });
});

describe('a pass', () => {
  test('notifies no process while the lock is held', async () => {
    await inLine(A, B);
    expect(await ask(pass())).toEqual([0, S60, HELD, 2, '']);
    expect(await heard(A, B)).toEqual([]);
  });

  test('notifies the first process of a free lock, and again when it is repeated', async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
    expect(await ask(pass())).toEqual([1, `${A}:1`]);
    expect(await ask(pass())).toEqual([1, `${A}:1`]);
    expect(await heard(A, B)).toEqual(['1 come 1', '1 come 1']);
  });

  test('names a holder that was given the lock, and has not come for it', async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
    // Beside one for each of the two listeners.
    const others = [1, 2].map(() => stage.redis.duplicate());
    await Promise.all([...others.map((each) => each.subscribe(names.channel)), stage.listen(names.channel)]);
    await ask(pass({ lease: 5000 }));
    expect(await ask(pass())).toEqual([0, S10, `${A}:1`, 2, `${A}:1`]);
    await ask(wait(`${A}:1`, { lease: S60 }));
    expect(await ask(pass())).toEqual([0, S60, `${A}:1`, 1, '']);
    for (const each of others) each.disconnect();
  });

  test('answers that no process waits', async () => {
    expect(await ask(pass())).toEqual([2]);
  });

  test('drops the process that has not come, its listener too, and notifies it once more', async () => {
    await inLine(A, B, C);
    await stage.redis.del(names.lock);
    expect(await ask(pass({ absent: `${A}:1` }))).toEqual([1, `${B}:1`]);
    expect(await heard(A, B, C)).toEqual(['1 come 1', '2 come 1', '3 listen']);
    expect(await queue()).toEqual([`listener:${B}`, '-1', `${B}:1`, '2', `${C}:1`, '3']);
  });

  test('leaves a process alone that is not the first any more', async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
    expect(await ask(pass({ absent: `${B}:1` }))).toEqual([1, `${A}:1`]);
    expect(await queue()).toContain(`${B}:1`);
  });

  test('lets others that listen to the channel of the lock go first where it says so', async () => {
    await inLine(A);
    await stage.redis.del(names.lock);
    expect(await ask(pass({ yields: true }))).toEqual([1, `${A}:1`]);
    const others = stage.redis.duplicate();
    await Promise.all([others.subscribe(names.channel), stage.listen(names.channel)]);
    expect(await ask(pass({ yields: true }))).toEqual([3]);
    others.disconnect();
    expect(await heard(A)).toEqual(['1 come 1']);
  });

  test('gives a short lease at once where others listen, which is taken over, or given up with the place', async () => {
    await inLine(A, B);
    await stage.redis.del(names.lock);
    // Beside one for each of the two listeners.
    const others = [1, 2].map(() => stage.redis.duplicate());
    await Promise.all([...others.map((each) => each.subscribe(names.channel)), stage.listen(names.channel)]);
    expect(await ask(pass({ lease: 5000 }))).toEqual([1, `${A}:1`]);
    expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S10));
    expect(await ask(wait(`${A}:1`, { lease: S60 }))).toEqual([1, 1, 0]);
    expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S60));
    await stage.redis.del(names.lock);
    expect(await ask(pass({ lease: 5000 }))).toEqual([1, `${B}:1`]);
    // It does not come for it, and who waits learns that.
    expect(await ask(wait(`${A}:2`))).toEqual([0, S10, `${B}:1`, 3, 0, 1, 2, `${B}:1`]);
    expect(await ask(pass({ absent: `${B}:1` }))).toEqual([1, `${A}:2`]);
    expect(await stage.state(names.lock)).toBe('free');
    expect(await ask(release(`${A}:2`, 0, S10))).toEqual([0]);
    await ask(wait(`${B}:1`, { ticket: 2 }));
    await ask(release(`${B}:1`, 0, S10));
    await holdIt();
    await ask(wait(`${B}:1`));
    await stage.redis.del(names.lock);
    expect(await ask(pass({ lease: 5000 }))).toEqual([1, `${B}:1`]);
    expect(await ask(pass({ leaving: `${B}:1` }))).toEqual([2]);
    for (const each of others) each.disconnect();
    expect(await stage.state(names.lock)).toBe('free');
  });

  test.each(['absent', 'leaving'])(
    'publishes to the others that a lock is free which the last place of the queue was given, and that is %s',
    async (what) => {
      await inLine(A);
      await stage.redis.del(names.lock);
      await stage.redis.zadd(names.waiting, -2, `listener:${A}`);
      const other = stage.redis.duplicate();
      await Promise.all([other.subscribe(names.channel), stage.listen(names.channel)]);
      expect(await ask(pass({ lease: 5000 }))).toEqual([1, `${A}:1`]);
      expect(await stage.messages(names.channel)).toEqual([]);
      expect(await ask(pass({ [what]: `${A}:1` }))).toEqual([2]);
      expect(await stage.messages(names.channel)).toEqual(['0']);
      // What was free before is known to them.
      expect(await ask(pass({ [what]: `${A}:1` }))).toEqual([2]);
      expect(await stage.messages(names.channel)).toEqual(['0']);
      other.disconnect();
    },
  );
});

test('a process that comes for the lock that it was given has the lease that it asks for, also a shorter one', async () => {
  await inLine(A);
  await stage.redis.del(names.lock);
  const other = stage.redis.duplicate();
  await Promise.all([other.subscribe(names.channel), stage.listen(names.channel)]);
  expect(await ask(pass({ lease: 60_000 }))).toEqual([1, `${A}:1`]);
  expect(await ask(wait(`${A}:1`, { lease: S10, listens: true }))).toEqual([1, 1, 1]);
  expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S10));
  // The second time it is a holder like any other, whose lease never becomes shorter.
  await ask(wait(`${A}:1`, { lease: 5000, listens: true }));
  expect(await stage.state(names.lock)).toEqual(held({ [`${A}:1`]: 1 }, S10));
  other.disconnect();
});

test('a forced unlock notifies the first process, and all that listen to the channel of the lock', async () => {
  await inLine(A, B);
  await stage.listen(names.channel);
  expect(await ask(forceRelease())).toEqual([1, 1]);
  expect(await heard(A, B)).toEqual(['1 come 1']);
  expect(await stage.messages(names.channel)).toEqual(['0']);
});

describe('bad input', () => {
  test.each([
    ['a lease', { lease: 0 }],
    ['the time that the queue lasts', { life: 0 }],
    ['the bound of what is announced', { soon: -1 }],
    ['a ticket', { ticket: -1 }],
    ['a ticket that is no whole number', { ticket: 1.5 }],
  ])('%s out of range is refused before anything is written', async (_what, bad) => {
    expect(await ask(wait(`${A}:1`, bad))).toEqual([-1, expect.stringMatching(/^ERR /), 'none']);
    expect(await stage.redis.exists(names.lock, names.waiting)).toBe(0);
    await holdIt();
    expect(await ask(wait(`${A}:1`, bad))).toEqual([-1, expect.stringMatching(/^ERR /), 'hash']);
    expect(await stage.redis.exists(names.waiting)).toBe(0);
  });

  test('a holder id without a client is refused', async () => {
    expect(await ask(wait('nobody'))).toEqual([-1, expect.stringMatching(/^ERR /), 'none']);
  });
});
