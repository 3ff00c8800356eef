import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { fairAcquire, fairRelease } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { ownRedis } from '../locks/own.redis.js';
import { rounded } from '../models/store.dump.js';
import { CLIENT, FairStage, held, HOLDER, type Answer, type Fair } from './fair.stage.js';

const { a } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];

const ERR = [-1, expect.stringMatching(/^ERR /), expect.any(String)];

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

const OPERATIONS: readonly (readonly [string, () => Promise<Answer>])[] = [
  ['an acquisition that waits', () => stage.acquire(A, S40)],
  ['a try', () => stage.acquire(A, 0)],
  ['a re-entry', () => stage.acquire(B, S40, { count: 2 })],
  ['a release', () => stage.release(B)],
  ['a partial release', () => stage.release(B, 1)],
  ['a forced release', () => stage.forceRelease()],
  ['a heartbeat', () => stage.beat(a)],
];

/** There is something to do for everybody: the lock is to be told of, the head to be dropped. */
const BUSY: Fair = {
  lock: held(B, S60, 2),
  queue: [
    [J, -S10],
    [A2, S40],
    [K, S60],
  ],
  waits: { [A2]: S20 },
  alive: { [a]: S60 },
};

describe.each(OPERATIONS)('%s', (_operation, operate) => {
  test.each(['lock', 'queue', 'timeout', 'waits', 'alive'] as const)(
    'refuses another type in the place of %s, names its key, and leaves everything as it is',
    async (part) => {
      await stage.put(BUSY);
      const { redis, dump } = stage.store;
      await redis.set(stage[part], 'something else');
      const before = rounded(await dump.read(), S10);
      const { reply, told } = await operate();
      expect(reply).toEqual([
        -1,
        expect.stringMatching(/^WRONGTYPE \S+ is not a (hash|list|zset)$/),
        'string',
      ]);
      expect(String(Array.isArray(reply) && reply[1])).toContain(` ${stage[part]} `);
      expect(told).toEqual([]);
      expect(rounded(await dump.read(), S10)).toEqual(before);
    },
  );
});

const LEASES = ['0', '-1', '1.5', '315360000001', '', 'nan', 'inf', 'text'];
const COUNTS = ['-1', '1.5', '2147483648', '', 'nan', 'inf'];
const WAITS = ['-1', '1.5', '3600001', '', 'nan', 'inf'];
const LIVES = ['0', '-1', '1.5', '60001', '', 'nan', 'inf'];

test.each([
  ...LEASES.map((lease) => ['acquisition', 'lease', lease, () => stage.acquire(A, S40, { lease })] as const),
  ...['0', ...COUNTS].map(
    (count) => ['acquisition', 'count', count, () => stage.acquire(A, S40, { count })] as const,
  ),
  ...WAITS.map((wait) => ['acquisition', 'wait', wait, () => stage.acquire(A, wait)] as const),
  ...['-1', '1.5', '60001', '', 'nan', 'inf'].map(
    (given) => ['acquisition', 'lease of a gift', given, () => stage.acquire(A, S40, { given })] as const,
  ),
  ...LIVES.map((life) => ['acquisition', 'life', life, () => stage.acquire(A, S40, { life })] as const),
  ...WAITS.map(
    (margin) => ['acquisition', 'margin', margin, () => stage.acquire(A, S40, { margin })] as const,
  ),
  ...LEASES.map(
    (lease) => ['partial release', 'lease', lease, () => stage.release(B, 1, { lease })] as const,
  ),
  ...COUNTS.map((count) => ['release', 'count', count, () => stage.release(B, count)] as const),
  ...WAITS.map((margin) => ['release', 'margin', margin, () => stage.release(B, 0, { margin })] as const),
  ...['-1', '1.5', '315360000001', '', 'nan', 'inf'].map(
    (own) => ['release', 'lease of its own head', own, () => stage.release(B, 0, { own })] as const,
  ),
  ...WAITS.map(
    (margin) => ['forced release', 'margin', margin, () => stage.forceRelease({ margin })] as const,
  ),
  ...LIVES.map((life) => ['beat', 'life', life, () => stage.beat(a, { life })] as const),
  ...WAITS.map((margin) => ['beat', 'margin', margin, () => stage.beat(a, { margin })] as const),
  ...['-1', '1.5', '9007199254740992', '', 'nan', 'inf'].map(
    (last) => ['beat', 'newest holder id', last, () => stage.beat(a, { last })] as const,
  ),
])(
  '%s, with a %s of "%s", is refused before anything is written or published',
  async (_what, _part, _value, operate) => {
    await stage.put(BUSY);
    expect(await operate()).toEqual({ reply: ERR, told: [], after: BUSY });
  },
);

test('the longest times and the highest count are taken', async () => {
  const [LONGEST, HIGHEST] = [315_360_000_000, 2_147_483_647];
  const most = { lease: LONGEST, life: 60_000, margin: 3_600_000 };
  await stage.put({ lock: held(A, LONGEST) });
  expect((await stage.acquire(A, 3_600_000, { ...most, count: HIGHEST })).reply).toEqual([
    1,
    expect.any(Number),
  ]);
  expect((await stage.acquire(B, 3_600_000, most)).reply).toEqual([0, LONGEST, A]);
  const last = Number.MAX_SAFE_INTEGER;
  expect((await stage.beat(CLIENT.b, { ...most, last, live: [1, last] })).reply).toEqual([1, 60_000, 1]);
});

describe('a time of Java without bounds (D22)', () => {
  test.each(['9223372036854775807', '+inf', '1e300', '-inf', '1763654400000.5'])(
    'of %s breaks nothing that comes behind it',
    async (time) => {
      await stage.put({ lock: held(B, S60), queue: [[J]] });
      await stage.store.redis.zadd(stage.timeout, time, J);
      const replies = [
        await stage.acquire(A, S40),
        await stage.acquire(A, S40),
        await stage.beat(a, { last: 2, live: [1] }),
        await stage.release(A),
      ];
      for (const { reply } of replies) {
        expect(reply).not.toEqual([-1, expect.anything(), expect.anything()]);
        expect(
          Array.isArray(reply) &&
            reply.every((part) => typeof part === 'string' || Number.isSafeInteger(part)),
        ).toBe(true);
      }
      expect(await stage.store.redis.hlen(stage.waits)).toBe(0);
    },
  );
});

test('one call serves many locks, and a broken one fails none of its neighbours', async () => {
  const [second, third] = [stage.other('second'), stage.other('third')];
  await second.store.redis.set(second.queue, 'something else');
  await third.put({ lock: held(J, S30) });
  const keys = [...stage.keys, ...second.keys, ...third.keys];
  const acquire = [stage, second, third].flatMap(({ lock }) => [A, S60, 1, S40, 0, lockChannel(lock)]);
  const { reply } = await stage.store.run(fairAcquire, keys, ['PUBLISH', S60, 0, ...acquire]);
  expect(reply).toEqual([
    [1, 1],
    [-1, `WRONGTYPE ${second.queue} is not a list`, 'string'],
    [0, expect.any(Number), J],
  ]);
  expect(await third.look()).toEqual({
    lock: held(J, S30),
    queue: [[A, S30 + S40]],
    waits: { [A]: S40 },
    alive: { [a]: S60 },
  });
  const release = [stage, second, third].flatMap(({ lock }) => [A, 0, S60, lockChannel(lock)]);
  expect((await stage.store.run(fairRelease, keys, ['PUBLISH', 0, 0, ...release])).reply).toEqual([
    [1, 0],
    [-1, `WRONGTYPE ${second.queue} is not a list`, 'string'],
    [0],
  ]);
  expect(await stage.look()).toEqual({});
  expect(await third.look()).toEqual({ lock: held(J, S30) });
});

describe('a server that is out of memory', () => {
  const server = ownRedis();

  test('refuses acquisitions before anything is written, and lets holders and waiters go', async () => {
    const full = await FairStage.open(server().url);
    try {
      const free = full.other('free');
      await full.put({ ...BUSY, queue: BUSY.queue?.slice(1) ?? [] });
      const before = await full.look();
      await full.store.redis.config('SET', 'maxmemory', '1');
      for (const acquire of [
        full.acquire(A, S20),
        full.acquire(A2, S20),
        free.acquire(A, 0),
        free.acquire(A, S20),
      ])
        expect((await acquire).reply).toEqual([-1, expect.stringMatching(/^OOM /), expect.any(String)]);
      expect(await free.look()).toEqual({});
      expect(await full.look()).toEqual(before);
      expect((await full.beat(a, { last: 2 })).reply).toEqual([1, S40, 1]);
      expect((await full.release(A2)).reply).toEqual([0]);
      expect((await full.release(B)).reply).toEqual([1, 1]);
      expect((await full.look()).queue).toEqual([[K, S40]]);
      await full.store.redis.config('SET', 'maxmemory', '0');
    } finally {
      await full.close();
    }
  });
});

test('a user that may not publish is served all the same', async () => {
  await stage.put({ lock: held(B, S60), queue: [[J, S100]] });
  const { reply } = await stage.store.run(fairRelease, stage.keys, [
    'NOSUCHCOMMAND',
    0,
    0,
    B,
    0,
    S60,
    'channel',
  ]);
  expect(reply).toEqual([[1, -1]]);
  expect(await stage.look()).toEqual({ queue: [[J, S100]] });
});
