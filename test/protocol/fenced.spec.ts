import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  acquire,
  counterOf,
  microseconds,
  readTokens,
  send,
  sendBatch,
  transfer,
  type FencedCall,
} from './fenced.calls.js';
import { coarse, held, ProtocolStage, type LockState, type Names } from './protocol.stage.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const C = '6e38a1f0-0000-4000-8000-000000000001:2';
const FREE: LockState = 'free';
const S10 = 10_000;
const S60 = 60_000;
const NONE = -1;
const a = (count: number, ttl: number): LockState => held({ [A]: count }, ttl);
const b = (count: number, ttl: number): LockState => held({ [B]: count }, ttl);
const c = (count: number, ttl: number): LockState => held({ [C]: count }, ttl);
/** In the place of a token in a reply. */
const TOKEN = 'a token';

type Row = readonly [
  name: string,
  before: LockState,
  call: FencedCall,
  reply: readonly unknown[],
  after: LockState,
  more?: {
    /** The reply of the same call, sent again, where it differs; the state must not. */
    readonly again?: readonly unknown[];
    /** What the channel says at the first call. */
    readonly messages?: readonly string[];
  },
];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  acquire: [
    ['takes a free lock', FREE, acquire(A, S10, 1), [1, 1, TOKEN], a(1, S10)],
    ['raises the count and the lease of a re-entry', a(1, S10), acquire(A, S60, 2), [1, 2, TOKEN], a(2, S60)],
    ['never shortens the lease by a re-entry', a(1, S60), acquire(A, S10, 2), [1, 2, TOKEN], a(2, S60)],
    ['gives a lease to a hold that has none', a(1, NONE), acquire(A, S10, 2), [1, 2, TOKEN], a(2, S10)],
    ['leaves a count that is higher already', a(3, S10), acquire(A, S10, 2), [1, 3, TOKEN], a(3, S10)],
    ['is refused by another holder', b(1, S10), acquire(A, S60, 1), [0, S10, B], b(1, S10)],
    ['is refused by another holder without a lease (D10)', b(1, NONE), acquire(A, S60, 1), [0, NONE, B], b(1, NONE)],
    ['is told that its outer hold is lost', FREE, acquire(A, S10, 2), [2], FREE],
    ['is told who has the lock that its outer hold lost', b(1, S10), acquire(A, S10, 2), [0, S10, B], b(1, S10)],
  ],
  transfer: [
    ['hands over with count 1 and the lease of the taker, without a message', a(2, S10), transfer(A, C, S60), [1, TOKEN], c(1, S60)],
    ['hands over without a message where the lease stays as it is', a(1, S10), transfer(A, C, S10), [1, TOKEN], c(1, S10)],
    ['wakes all waiters where the lease becomes shorter', a(2, S60), transfer(A, C, S10), [1, TOKEN], c(1, S10), { messages: ['1'] }],
    ['gives a lease to a lock that has none, and wakes all waiters', a(1, NONE), transfer(A, C, S10), [1, TOKEN], c(1, S10), { messages: ['1'] }],
    ['gives the taker a longer lease when it is repeated', c(1, S10), transfer(A, C, S60), [1, TOKEN], c(1, S60)],
    ['grants a lock that the giver had lost and nobody has', FREE, transfer(A, C, S10), [2, TOKEN], c(1, S10), { again: [1, TOKEN] }],
    ['is refused by whoever took what the giver had lost', b(1, S10), transfer(A, C, S60), [0, S10, B], b(1, S10)],
    ['is refused by a taker of what was lost who has no lease', b(1, NONE), transfer(A, C, S60), [0, NONE, B], b(1, NONE)],
  ],
};

describe.each([2, 3] as const)('over RESP%i, a fenced', (protocol) => {
  let stage: ProtocolStage;
  let names: Names;
  const counters: string[] = [];
  const newNames = (): Names => {
    const made = stage.names();
    counters.push(counterOf(made));
    return made;
  };
  beforeAll(() => {
    stage = ProtocolStage.open(inject('redisUrl'), { protocol });
  });
  beforeEach(() => {
    names = newNames();
  });
  afterAll(async () => {
    await stage.redis.del(...counters);
    await stage.close();
  });

  /** Sends a call, and tells its reply with what stands for the token, and the token. */
  async function play(call: FencedCall): Promise<{ reply: unknown; token: bigint | undefined }> {
    const reply = await send(stage, names, call);
    const granted = reply[0] !== 0 && reply.length > 1;
    if (!granted) return { reply: coarse(reply), token: undefined };
    const text = reply.at(-1);
    expect(text).toMatch(/^\d+$/);
    expect(text).toBe(await stage.redis.get(counterOf(names)));
    return { reply: [...reply.slice(0, -1), TOKEN], token: BigInt(String(text)) };
  }

  for (const [script, rows] of Object.entries(ROWS)) {
    for (const [name, before, call, reply, after, { again = reply, messages = [] } = {}] of rows) {
      test(`${script} ${name}`, async () => {
        await stage.put(names.lock, before);
        await stage.listen(names.channel);
        const start = await microseconds(stage);

        const first = await play(call);
        expect(first.reply).toEqual(reply);
        expect(await stage.state(names.lock)).toEqual(after);
        const second = await play(call);
        expect(second.reply).toEqual(again);
        expect(await stage.state(names.lock)).toEqual(after);

        expect(await stage.messages(names.channel)).toEqual(messages);
        // A refusal costs no token; a grant gives one of the clock, and its repeat a later one.
        const isGranted = reply.includes(TOKEN);
        const rising = [start, first.token ?? start, second.token ?? start, await microseconds(stage)];
        expect(rising).toEqual(rising.toSorted((one, other) => Number(one - other)));
        expect(new Set([first.token, second.token]).size).toBe(isGranted ? 2 : 1);
        expect(await stage.redis.pttl(counterOf(names))).toBe(isGranted ? NONE : -2);
      });
    }
  }

  test.each([
    ['acquire', FREE, acquire(A, S10, 1)],
    ['re-entry', a(1, S10), acquire(A, S10, 2)],
    ['transfer', a(1, S10), transfer(A, C, S10)],
  ])(
    '%s goes from the small numbers of Java, which adds 1, to the clock, and on by 1 ahead of it',
    async (_what, before, call) => {
      const given = async (stored: string): Promise<bigint | undefined> => {
        await stage.put(names.lock, before);
        await stage.redis.set(counterOf(names), stored);
        return (await play(call)).token;
      };
      for (const stored of ['0', '41', '-3', '1600000000000000']) {
        const start = await microseconds(stage);
        const token = await given(stored);
        expect(token).toBeGreaterThanOrEqual(start);
        expect(token).toBeLessThanOrEqual(await microseconds(stage));
      }
      const soon = (await microseconds(stage)) + 5_000_000n;
      for (const stored of [
        soon,
        4_000_000_000_000_000n,
        2n ** 53n,
        2n ** 53n + 1n,
        8_999_999_999_999_999_487n,
      ])
        expect(await given(`${stored}`)).toBe(stored + 1n);
    },
  );

  test('acquire after a failover that lost the counter gives a higher token all the same', async () => {
    const { token } = await play(acquire(A, S10, 1));
    await stage.redis.del(names.lock, counterOf(names));
    expect((await play(acquire(B, S10, 1))).token).toBeGreaterThan(token ?? 0n);
  });

  test('acquire of one lock many times in one call gives each a token of its own', async () => {
    const replies = await sendBatch(
      stage,
      [1, 2, 3, 4].map((count) => [names, acquire(A, S10, count)] as const),
    );
    const tokens = replies.map((reply) => BigInt(String(reply[2])));
    for (const [index, token] of tokens.slice(1).entries())
      expect(token).toBeGreaterThan(tokens[index] ?? 0n);
  });

  test('acquire and transfer answer each operation of a batch for itself', async () => {
    const [free, mine, wrong, spoiled, theirs] = Array.from({ length: 5 }, newNames) as [
      Names,
      Names,
      Names,
      Names,
      Names,
    ];
    await stage.put(mine.lock, a(1, S10));
    await stage.redis.set(wrong.lock, 'a value of the cache');
    await stage.redis.set(counterOf(spoiled), 'x');
    await stage.put(theirs.lock, b(1, S10));
    const all = [free, mine, wrong, spoiled, theirs];
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'string'];
    const SPOILED = [-1, expect.stringMatching(/^ERR /), 'none'];
    const digits = expect.stringMatching(/^\d{16}$/);

    const acquired = await sendBatch(
      stage,
      all.map((each) => [each, acquire(A, S10, 1)]),
    );
    expect(coarse(acquired)).toEqual([[1, 1, digits], [1, 1, digits], WRONG, SPOILED, [0, S10, B]]);
    const handed = await sendBatch(
      stage,
      all.map((each) => [each, transfer(A, C, S10)]),
    );
    expect(coarse(handed)).toEqual([[1, digits], [1, digits], WRONG, SPOILED, [0, S10, B]]);
    const told = await readTokens(stage, all);
    expect(told).toEqual([
      [1, handed[0]?.[1]],
      [1, handed[1]?.[1]],
      [1, ''],
      [1, 'x'],
      [1, ''],
    ]);
    expect(await stage.redis.exists(spoiled.lock)).toBe(0);
  });
});
