import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type LockState } from './protocol.stage.js';
import {
  acquire,
  forceRelease,
  inspect,
  release,
  send,
  sendBatch,
  transfer,
  type Call,
} from './reentrant.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const FREE: LockState = 'free';

const S10 = 10_000;
const S60 = 60_000;
const NONE = -1;
const a = (count: number, ttl: number): LockState => held({ [A]: count }, ttl);
const b = (count: number, ttl: number): LockState => held({ [B]: count }, ttl);

interface More {
  /** Messages on the lock's channel, after the call and after its repeat alike. */
  readonly messages?: readonly string[];
  /** The reply of the same call, sent again, where it differs; the state must not. */
  readonly again?: unknown;
}
type Row = readonly [
  name: string,
  before: LockState,
  call: Call,
  reply: unknown,
  after: LockState,
  more?: More,
];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  acquire: [
    ['takes a free lock', FREE, acquire(A, S10, 1), [1], a(1, S10)],
    ['raises the count and the lease of a re-entry', a(1, S10), acquire(A, S60, 2), [1], a(2, S60)],
    ['never shortens the lease by a re-entry', a(1, S60), acquire(A, S10, 2), [1], a(2, S60)],
    ['gives a lease to a hold that has none', a(1, NONE), acquire(A, S10, 2), [1], a(2, S10)],
    ['leaves a count that is higher already', a(3, S10), acquire(A, S10, 2), [1, 3], a(3, S10)],
    ['is refused by another holder, with its lease and its name', b(1, S10), acquire(A, S60, 1), [0, S10, B], b(1, S10)],
    ['is refused by another holder without a lease', b(1, NONE), acquire(A, S60, 1), [0, NONE, B], b(1, NONE)],
    ['is told that its outer hold is lost', FREE, acquire(A, S10, 2), [2], FREE],
    ['is told who has the lock that its outer hold lost', b(1, S10), acquire(A, S10, 2), [0, S10, B], b(1, S10)],
  ],
  release: [
    ['finds nothing in a free lock', FREE, release(A, 0, S10), [0], FREE],
    ['leaves the lock of another holder alone', b(1, S10), release(A, 0, S60), [0], b(1, S10)],
    ['lowers the count and restores the lease, without a message', a(2, S10), release(A, 1, S60), [2, 1], a(1, S60)],
    ['lowers the count and wakes all waiters where the lease becomes shorter', a(2, S60), release(A, 1, S10), [2, 1], a(1, S10), { messages: ['1'] }],
    ['lowers the count and wakes all waiters where there was no lease', a(2, NONE), release(A, 1, S10), [2, 1], a(1, S10), { messages: ['1'] }],
    ['changes nothing where the count is as low already', a(1, S60), release(A, 1, S10), [2, 1], a(1, S60)],
    ['never raises a count', a(1, S60), release(A, 2, S10), [2, 1], a(1, S60)],
    ['never creates a field', FREE, release(A, 1, S10), [0], FREE],
    ['frees the lock with one message', a(1, S10), release(A, 0, S10), [1, 1], FREE, { messages: ['0'], again: [0] }],
    ['frees the lock from any count', a(3, S10), release(A, 0, S10), [1, 1], FREE, { messages: ['0'], again: [0] }],
    ['frees a lock that has no lease', a(1, NONE), release(A, 0, S10), [1, 1], FREE, { messages: ['0'], again: [0] }],
    ['looks at no lease where none is restored', a(1, S10), release(A, 0, 0), [1, 1], FREE, { messages: ['0'], again: [0] }],
  ],
  'force release': [
    ['finds nothing in a free lock, and says nothing', FREE, forceRelease(), [0], FREE],
    ['frees the lock of whoever has it, with one message', a(2, S10), forceRelease(), [1, 1], FREE, { messages: ['0'], again: [0] }],
  ],
  transfer: [
    ['hands over with count 1 and the lease of the taker, without a message', a(2, S10), transfer(A, B, S60), [1], b(1, S60)],
    ['hands over without a message where the lease stays as it is', a(1, S10), transfer(A, B, S10), [1], b(1, S10)],
    ['wakes all waiters where the lease becomes shorter', a(2, S60), transfer(A, B, S10), [1], b(1, S10), { messages: ['1'] }],
    ['gives a lease to a lock that has none, and wakes all waiters', a(1, NONE), transfer(A, B, S10), [1], b(1, S10), { messages: ['1'] }],
    ['grants a lock that the giver had lost and nobody has', FREE, transfer(A, B, S10), [2], b(1, S10), { again: [1] }],
    ['is refused by whoever took what the giver had lost', b(1, S10), transfer(A, 'C', S60), [0, S10, B], b(1, S10)],
    ['is refused by a taker of what was lost who has no lease', b(1, NONE), transfer(A, 'C', S60), [0, NONE, B], b(1, NONE)],
  ],
  inspect: [
    ['reads a free lock', FREE, inspect(A), [1, -2, 0, ''], FREE],
    ['reads the count of the given holder', a(2, S10), inspect(A), [1, S10, 2, A], a(2, S10)],
    ['reads a lock of somebody else', b(2, S10), inspect(A), [1, S10, 0, B], b(2, S10)],
    ['reads a lock without a lease, asking for nobody', b(1, NONE), inspect(''), [1, NONE, 0, B], b(1, NONE)],
  ],
};

describe.each([2, 3] as const)('over RESP%i', (protocol) => {
  let stage: ProtocolStage;
  beforeAll(() => {
    stage = ProtocolStage.open(inject('redisUrl'), { protocol });
  });
  afterAll(() => stage.close());

  for (const [script, rows] of Object.entries(ROWS)) {
    for (const [name, before, call, reply, after, { messages = [], again = reply } = {}] of rows) {
      test(`${script} ${name}`, async () => {
        const names = stage.names();
        await stage.put(names.lock, before);
        await stage.listen(names.channel);

        expect(coarse(await send(stage, names, call))).toEqual(reply);
        expect(await stage.state(names.lock)).toEqual(after);
        expect(await stage.messages(names.channel)).toEqual(messages);

        expect(coarse(await send(stage, names, call))).toEqual(again);
        expect(await stage.state(names.lock)).toEqual(after);
        expect(await stage.messages(names.channel)).toEqual(messages);
      });
    }
  }

  test('answers each operation of a batch for itself, whatever its neighbours find', async () => {
    const all = [stage.names(), stage.names(), stage.names(), stage.names()] as const;
    const [free, mine, wrong, theirs] = all;
    await stage.put(mine.lock, held({ [A]: 1 }, 10_000));
    await stage.redis.set(wrong.lock, 'a value of the cache');
    await stage.put(theirs.lock, held({ [B]: 1 }, 10_000));
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'string'];

    const acquired = await sendBatch(stage, [
      [free, acquire(A, 10_000, 1)],
      [mine, acquire(A, 10_000, 2)],
      [wrong, acquire(A, 10_000, 1)],
      [theirs, acquire(A, 10_000, 1)],
    ]);
    expect(coarse(acquired)).toEqual([[1], [1], WRONG, [0, 10_000, B]]);

    const handed = await sendBatch(
      stage,
      all.map((names) => [names, transfer(A, 'C', 10_000)]),
    );
    expect(coarse(handed)).toEqual([[1], [1], WRONG, [0, 10_000, B]]);

    const read = await sendBatch(
      stage,
      all.map((names) => [names, inspect('C')]),
    );
    expect(coarse(read)).toEqual([[1, 10_000, 1, 'C'], [1, 10_000, 1, 'C'], WRONG, [1, 10_000, 0, B]]);

    const released = await sendBatch(
      stage,
      all.map((names) => [names, release('C', 0, 10_000)]),
    );
    expect(released).toEqual([[1], [1], WRONG, [0]]);

    const forced = await sendBatch(
      stage,
      all.map((names) => [names, forceRelease()]),
    );
    expect(forced).toEqual([[0], [0], WRONG, [1, 0]]);
    expect(await stage.redis.get(wrong.lock)).toBe('a value of the cache');
  });

  test('runs the operations of a batch in their order where they name one lock', async () => {
    const names = stage.names();
    const replies = await sendBatch(stage, [
      [names, acquire(A, 10_000, 1)],
      [names, acquire(B, 10_000, 1)],
      [names, acquire(A, 10_000, 2)],
    ]);
    expect(coarse(replies)).toEqual([[1], [0, 10_000, A], [1]]);
  });

  test('takes and frees 300 locks in one call each', async () => {
    const all = Array.from({ length: 300 }, () => stage.names());
    expect(
      await sendBatch(
        stage,
        all.map((names) => [names, acquire(A, 10_000, 1)]),
      ),
    ).toEqual(all.map(() => [1]));
    expect(
      await sendBatch(
        stage,
        all.map((names) => [names, release(A, 0, 10_000)]),
      ),
    ).toEqual(all.map(() => [1]));
    expect(await stage.redis.exists(...all.map(({ lock }) => lock))).toBe(0);
  });
});
