import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ProtocolStage } from './protocol.stage.js';
import {
  passWrite as pass,
  read,
  rwNames,
  unread,
  unwrite,
  waitToWrite as wait,
  write,
  type Call,
  type RwNames,
} from './read-write.calls.js';
import { clear, put, reading, S, seen, send, writing } from './read-write.stage.js';

const clientOf = (digit: 1 | 2 | 3) => `6e38a1f0-0000-4000-8000-00000000000${digit}`;
const [A, B, C] = [clientOf(1), clientOf(2), clientOf(3)];
const HELD = 'ffffffff-0000-4000-8000-000000000000:7';
const READER = 'ffffffff-0000-4000-8000-000000000000:8';
const INTENT = 2250;

let stage: ProtocolStage;
let names: RwNames;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = rwNames(stage.names().lock);
});
afterEach(() => clear(stage, names));
afterAll(() => stage.close());

const channelOf = (client: string) => `${names.channel}:${client}`;
const ask = (call: Call) => send(stage, names, call);
const freeIt = (lease = 0) => ask(unwrite(HELD, 0, lease));

/** The queue as it is stored: places and listeners with their scores. */
const queue = () => stage.redis.zrange(names.waiting, '0', '-1', 'WITHSCORES');

const intent = () => stage.redis.get(names.intent);

/** The lock without what stands beside it. */
const lock = () => stage.redis.hgetall(names.lock);

const heard = (...clients: readonly string[]) => stage.heardBy(clients, channelOf);

/** Clients that listen to their channels, and have a place each, the first two with a listener. */
async function inLine(...clients: readonly string[]): Promise<void> {
  for (const [index, client] of clients.entries()) {
    await stage.listen(channelOf(client));
    await ask(wait(`${client}:1`, { listens: index < 2 }));
  }
}

/** {@link inLine} while HELD writes. */
async function behindWriter(...clients: readonly string[]): Promise<void> {
  await put(stage, names, writing(HELD, 1, 6 * S));
  await inLine(...clients);
}

/** {@link inLine} while READER reads. */
async function behindReader(...clients: readonly string[]): Promise<void> {
  await put(stage, names, reading({ [READER]: [6 * S] }));
  await inLine(...clients);
}

/** While another client listens to these channels. */
async function withOthers(channels: readonly string[], act: () => Promise<void>): Promise<void> {
  const others = stage.redis.duplicate();
  try {
    await others.subscribe(...channels);
    await act();
  } finally {
    others.disconnect();
  }
}

/** While another process waits to read. */
const withReaders = (act: () => Promise<void>) =>
  withOthers([names.channel, `${names.channel}:readers`], act);

/** While a thread of Java waits, or a process with an older version. */
const withStrangers = (act: () => Promise<void>) => withOthers([names.channel], act);

describe('a place in the queue of processes that wait to write', () => {
  test('is behind all others, named by its ticket, and kept when it is requested again', async () => {
    await put(stage, names, writing(HELD, 1, 6 * S));
    expect(await ask(wait(`${A}:1`))).toEqual([0, 6 * S, HELD, 1, 0, 1, 1, '']);
    expect(await ask(wait(`${B}:1`))).toEqual([0, 6 * S, HELD, 2, 0, 1, 2, '']);
    expect(await ask(wait(`${A}:1`))).toEqual([0, 6 * S, HELD, 1, 0, 1, 2, '']);
    expect(await queue()).toEqual([`${A}:1`, '1', `${B}:1`, '2']);
  });

  test('keeps new readers out while others read, and not behind a writer', async () => {
    await behindWriter(A);
    expect(await intent()).toBeNull();
    await clear(stage, names);
    await behindReader(A);
    expect(await intent()).toBe(`${A}:1`);
    expect(await stage.redis.pttl(names.intent)).toBeGreaterThan(INTENT / 2);
    expect(await ask(read(HELD, S, 1))).toEqual([0, expect.any(Number), `${A}:1`]);
  });

  test('of a holder that reads itself keeps no reader out', async () => {
    await put(stage, names, reading({ [`${A}:1`]: [6 * S] }));
    await inLine(A);
    expect(await intent()).toBeNull();
  });

  test('ends with the grant, and so does the intent', async () => {
    await behindReader(A);
    await stage.redis.del(names.lock);
    expect(await ask(wait(`${A}:1`, { listens: true }))).toEqual([1, 1, 1]);
    expect([await queue(), await intent()]).toEqual([[`listener:${A}`, '-1'], null]);
    expect(await lock()).toEqual({ mode: 'write', [`${A}:1:write`]: '1' });
  });

  test('that is given up takes the intent back, or leaves it to the next one', async () => {
    await behindReader(A, B);
    expect(await ask(unwrite(`${A}:1`, 0, 0))).toEqual([0]);
    expect(await intent()).toBe(`${B}:1`);
    await stage.listen(names.channel);
    expect(await ask(unwrite(`${B}:1`, 0, 0))).toEqual([0]);
    expect(await intent()).toBeNull();
    expect(await stage.messages(names.channel)).toEqual(['1']);
  });

  test('that is given up while the lock is free passes the turn on', async () => {
    await behindWriter(A, B);
    await freeIt();
    expect(await ask(unwrite(`${A}:1`, 0, 0))).toEqual([0]);
    expect(await heard(A, B)).toEqual(['1 come 1', '2 come 1']);
  });
});

describe('a free lock', () => {
  test('is granted to the first place alone', async () => {
    await behindWriter(A, B);
    await freeIt();
    expect(await ask(wait(`${B}:1`, { ticket: 2, listens: true }))).toEqual([
      0,
      -2,
      '',
      2,
      1,
      0,
      2,
      `${A}:1`,
    ]);
    expect(await ask(wait(`${A}:1`, { ticket: 1 }))).toEqual([1, 1, 0]);
  });

  test('is not taken by a first attempt that is ready to wait, and is by one that is not', async () => {
    await behindWriter(A);
    await freeIt();
    expect(await ask(write(`${B}:1`, S, 1, 100, 1))).toEqual([3, `${A}:1`]);
    expect(await ask(write(`${B}:1`, S, 1, 0))).toEqual([1, 1]);
  });

  test('that a process takes past its place, for it cannot be notified, ends the place', async () => {
    await behindWriter(A, B);
    await freeIt();
    await ask(write(`${A}:1`, S, 1, 0));
    expect(await queue()).not.toContain(`${A}:1`);
  });

  test('is read by a caller that comes before the process whose turn it is', async () => {
    await behindWriter(A);
    await freeIt();
    expect(await ask(read(READER, S, 1))).toEqual([1]);
    expect(await ask(wait(`${A}:1`, { ticket: 1 }))).toEqual([0, S, READER, 1, 0, 1, 1, '']);
    expect(await intent()).toBe(`${A}:1`);
  });
});

describe.each([
  ['the writer', behindWriter, () => freeIt(S)],
  ['the last reader', behindReader, () => ask(unread(READER, 0, S))],
] as const)('a release of %s', (_who, behind, release) => {
  test('notifies the first process alone, and nothing is published that only listeners would hear', async () => {
    await behind(A, B, C);
    // The stage listens to the lock's channel with one connection, which is that of the one listener.
    await stage.listen(names.channel);
    await stage.redis.zrem(names.waiting, `listener:${B}`);
    expect(await release()).toEqual([1, 0, `${A}:1`]);
    expect(await heard(A, B, C)).toEqual(['1 come 1', '3 listen']);
    expect(await stage.messages(names.channel)).toEqual([]);
    expect(await lock()).toEqual({});
  });

  test('passes over processes that have died, and takes their places and listeners away', async () => {
    await behind(A, B, C);
    await stage.subscriber.unsubscribe(channelOf(A), channelOf(B));
    expect(await release()).toEqual([1, 0, `${C}:1`]);
    expect(await queue()).toEqual([`${C}:1`, '3']);
  });
});

/** Frees what HELD holds, which gets the lock anew before. */
async function writeAndFree(): Promise<unknown> {
  await ask(write(HELD, S, 1));
  return await freeIt(S);
}

describe('while processes wait to read', () => {
  test('every second release of a writer is left to them, and the others give the first place the lock at once', async () => {
    await behindWriter(A);
    await withReaders(async () => {
      await stage.listen(names.channel);
      expect(await freeIt(S)).toEqual([1, 1, '']);
      expect(await lock()).toEqual({});
      expect(await writeAndFree()).toEqual([1, 1, `${A}:1`]);
      expect(await lock()).toEqual({ mode: 'write', [`${A}:1:write`]: '1' });
      expect(await stage.messages(names.channel)).toEqual(['1', '1']);
      // It comes for the lock, and gets just the lease that it asks for.
      expect(await ask(wait(`${A}:1`, { ticket: 1, lease: 2 * S, listens: true }))).toEqual([1, 1, 1]);
      expect(await stage.redis.pttl(names.lock)).toBeGreaterThan(S);
      expect(await queue()).toEqual([`listener:${A}`, '-1']);
    });
  });

  test('a release of the last reader is not left to them, and the next one of a writer is', async () => {
    await behindReader(A);
    await withReaders(async () => {
      await stage.listen(names.channel);
      expect(await ask(unread(READER, 0, S))).toEqual([1, 1, `${A}:1`]);
      expect(await ask(wait(`${A}:1`, { ticket: 1, listens: true }))).toEqual([1, 1, 1]);
      await ask(wait(`${B}:1`));
      await stage.listen(channelOf(B));
      expect(await ask(unwrite(`${A}:1`, 0, S))).toEqual([1, 1, '']);
    });
  });

  test('one that is a listener of the queue is counted as well', async () => {
    await behindReader(A);
    await stage.listen(names.channel);
    expect(await ask(unread(READER, 0, 0))).toEqual([1, 0, `${A}:1`]);
    await ask(read(READER, S, 1));
    await stage.redis.del(names.intent);
    await ask(read(READER, S, 1));
    await stage.listen(`${names.channel}:readers`);
    expect(await ask(unread(READER, 0, 0))).toEqual([1, 1, `${A}:1`]);
  });

  test('a lock that was given is taken by a first attempt under the same id as well, and its place ends', async () => {
    await behindReader(A);
    await withReaders(async () => {
      await ask(unread(READER, 0, S));
      expect(await ask(write(`${A}:1`, 3 * S, 1))).toEqual([1, 1]);
      expect(await queue()).not.toContain(`${A}:1`);
      expect(await ask(pass({ absent: `${A}:1` }))).toEqual([0, 3 * S, `${A}:1`, 0, '']);
    });
  });

  test('what was given is taken back from a process that does not come, and given to the next one', async () => {
    await behindReader(A, B);
    await withReaders(async () => {
      await ask(unread(READER, 0, S));
      expect(await ask(pass())).toEqual([0, S, `${A}:1`, 2, `${A}:1`]);
      expect(await ask(pass({ absent: `${A}:1`, lease: 1000 }))).toEqual([1, `${B}:1`]);
      expect(await lock()).toEqual({ mode: 'write', [`${B}:1:write`]: '1' });
      expect(await ask(wait(`${A}:1`, { ticket: 1 }))).toEqual([
        0,
        expect.any(Number),
        `${B}:1`,
        1,
        0,
        1,
        2,
        `${B}:1`,
      ]);
    });
  });

  test('the last place that is taken away takes the intent with it, and they are notified', async () => {
    await behindReader(A);
    await withReaders(async () => {
      await stage.listen(names.channel);
      await ask(unread(READER, 0, S));
      expect(await intent()).toBe(`${A}:1`);
      expect(await ask(pass({ absent: `${A}:1` }))).toEqual([2]);
      expect([await lock(), await intent()]).toEqual([{}, null]);
      expect(await stage.messages(names.channel)).toEqual(['0', '1']);
    });
  });
});

describe('while Java or an older version waits', () => {
  /** Reads, and ends as the last reader. */
  async function readAndFree(): Promise<unknown> {
    await stage.redis.del(names.intent);
    await ask(read(READER, S, 1));
    return await ask(unread(READER, 0, S));
  }

  test('every second release of the last reader is left to it, too, and readers stay out', async () => {
    await behindReader(A);
    await withReaders(() =>
      withStrangers(async () => {
        await stage.listen(names.channel);
        expect(await ask(unread(READER, 0, S))).toEqual([1, 2, '']);
        expect([await lock(), await intent()]).toEqual([{}, `${A}:1`]);
        expect(await ask(read(HELD, S, 1))).toEqual([0, expect.any(Number), `${A}:1`]);
        expect(await readAndFree()).toEqual([1, 2, `${A}:1`]);
        expect(await lock()).toEqual({ mode: 'write', [`${A}:1:write`]: '1' });
        expect(await stage.messages(names.channel)).toEqual(['0', '0']);
      }),
    );
  });

  test('its turns at releases of last readers do not depend on those at releases of writers', async () => {
    await behindWriter(A);
    await withStrangers(async () => {
      await stage.listen(names.channel);
      expect(await freeIt(S)).toEqual([1, 1, '']);
      expect(await readAndFree()).toEqual([1, 1, '']);
      expect(await writeAndFree()).toEqual([1, 1, `${A}:1`]);
      await stage.redis.del(names.lock);
      expect(await readAndFree()).toEqual([1, 1, `${A}:1`]);
      await stage.redis.del(names.lock);
      expect(await writeAndFree()).toEqual([1, 1, '']);
      expect(await readAndFree()).toEqual([1, 1, '']);
      expect(await queue()).toEqual([`listener:${A}`, '-4', `${A}:1`, '1']);
    });
  });
});

describe('a pass at a free lock', () => {
  test('that takes the last place away notifies the readers that its intent has refused, once', async () => {
    await behindReader(A);
    await ask(unread(READER, 0, S));
    expect(await ask(read(READER, S, 1))).toEqual([0, expect.any(Number), `${A}:1`]);
    await stage.listen(names.channel);
    expect(await ask(pass({ absent: `${A}:1` }))).toEqual([2]);
    expect(await ask(pass())).toEqual([2]);
    expect([await intent(), await stage.messages(names.channel)]).toEqual([null, ['1']]);
  });
});

describe('a pass while others read', () => {
  test('lets those that wait to read go first, and else keeps new readers out', async () => {
    await behindReader(A);
    await stage.redis.del(names.intent);
    await withReaders(async () => {
      expect(await ask(pass({ yields: true }))).toEqual([3]);
      expect(await intent()).toBeNull();
      expect(await ask(pass())).toEqual([0, 6 * S, READER, 1, '']);
      expect(await intent()).toBe(`${A}:1`);
    });
  });

  test('keeps them out for the first process that is alive', async () => {
    await behindReader(A, B);
    await stage.subscriber.unsubscribe(channelOf(A));
    await ask(pass());
    expect([await intent(), await queue()]).toEqual([`${B}:1`, [`listener:${B}`, '-1', `${B}:1`, '2']]);
  });

  test('gives up a place, and finds none', async () => {
    await behindReader(A);
    expect(await ask(pass({ leaving: `${A}:1` }))).toEqual([0, 6 * S, READER, 0, '']);
    await stage.redis.del(names.lock);
    expect(await ask(pass({ leaving: `listener:${A}` }))).toEqual([2]);
    expect(await stage.redis.exists(names.waiting)).toBe(0);
  });

  test('of a lock that its holder has, and reads as well, ends none of these holds', async () => {
    await put(stage, names, writing(`${A}:1`, 1, 6 * S, 5 * S));
    const before = await seen(stage, names);
    expect(await ask(pass({ leaving: `${A}:1` }))).toEqual([0, 6 * S, `${A}:1`, 0, '']);
    expect(await seen(stage, names)).toEqual(before);
  });
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
    await put(stage, names, reading({ [READER]: [S] }));
    const before = await seen(stage, names);
    expect(await ask(wait(`${A}:1`, bad))).toEqual([-1, expect.stringMatching(/^ERR /), 'hash']);
    expect(await seen(stage, names)).toEqual(before);
  });

  test('a holder id without a client is refused', async () => {
    expect(await ask(wait('nobody'))).toEqual([-1, expect.stringMatching(/^ERR /), 'none']);
  });

  test.each([
    ['wait', () => wait(`${A}:1`)],
    ['pass', () => pass({ leaving: `${A}:1` })],
  ])('a hash that is another kind of lock is refused to a %s, and left alone', async (_what, call) => {
    await stage.redis.hset(names.lock, `${A}:1`, '1');
    await stage.redis.zadd(names.waiting, 1, `${A}:1`);
    expect(await ask(call())).toEqual([-1, expect.stringMatching(/^WRONGTYPE /), 'hash']);
    expect(await queue()).toEqual([`${A}:1`, '1']);
  });
});
