import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { counterOf, send, sendAll, sweep, type Counter, type Operation } from './counter.stage.js';
import {
  acquire,
  inspect,
  permits,
  putPermits,
  readPermits,
  release,
  renew,
  resize,
  type Permits,
} from './permit.calls.js';
import { coarse, ProtocolStage } from './protocol.stage.js';

/** Ids whose bytes are no UTF-8, are 0, and are all there is. */
const A = '00ff80c3e28280fe0a0d25005c7f81ff';
const B = 'ffffffffffffffffffffffffffffffff';
const C = '000102030405060708090a0b0c0d0e0f';
const S10 = 10_000;
const S20 = 20_000;
const S60 = 60_000;
const OVER = -5000;

interface More {
  /** Messages on the channel at the call. */
  readonly messages?: readonly string[];
  /** The reply of the same call, sent again, where it differs; the state must not. */
  readonly again?: unknown;
}
type Row = readonly [
  name: string,
  before: Permits,
  operation: Operation,
  reply: unknown,
  after: Permits,
  more?: More,
];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  acquire: [
    ['takes a permit without a message', permits(2), acquire(A, S10), [1, 1, 1], permits(1, { [A]: S10 })],
    ['takes the last permit', permits(1, { [B]: S10 }), acquire(A, S20), [1, 1, 0], permits(0, { [B]: S10, [A]: S20 })],
    ['gives the lease afresh to a permit that is there', permits(1, { [A]: S10 }), acquire(A, S60), [1, 1, 1], permits(1, { [A]: S60 })],
    ['never shortens the lease of a permit that is there', permits(1, { [A]: S60 }), acquire(A, S10), [1, 1, 1], permits(1, { [A]: S60 })],
    ['leaves a permit of Java that never expires as it is', permits(1, { [A]: 'never' }), acquire(A, S10), [1, 1, 1], permits(1, { [A]: 'never' })],
    ['is told when the first permit expires, and its id', permits(0, { [B]: S20, [C]: S10 }), acquire(A, S10), [0, S10, C], permits(0, { [C]: S10, [B]: S20 })],
    ['is told of the first one that expires beside one that never does', permits(0, { [B]: S20, [C]: 'never' }), acquire(A, S10), [0, S20, B], permits(0, { [B]: S20, [C]: 'never' })],
    ['is told that no permit ever expires', permits(0, { [C]: 'never' }), acquire(A, S10), [0, -1, C], permits(0, { [C]: 'never' })],
    ['is told that there are no permits at all', permits(0), acquire(A, S10), [0, -1, ''], permits(0)],
    ['is told so where there is no semaphore', permits('none'), acquire(A, S10), [0, -1, ''], permits('none')],
    ['is told of the permits that outlived their semaphore', permits('none', { [B]: S10 }), acquire(A, S10), [0, S10, B], permits('none', { [B]: S10 })],
    ['keeps a permit that outlived its semaphore', permits('none', { [A]: S10 }), acquire(A, S20), [1, 1, 0], permits('none', { [A]: S20 })],
    ['takes back a permit whose lease is over, and tells of it', permits(0, { [B]: OVER, [C]: S20 }), acquire(A, S10), [1, 1, 0], permits(0, { [A]: S10, [C]: S20 }), { messages: ['1'] }],
    ['takes back all whose leases are over, and tells once', permits(0, { [B]: OVER, [C]: OVER }), acquire(A, S10), [1, 1, 1], permits(1, { [A]: S10 }), { messages: ['2'] }],
    ['takes back a lease of its own that was over, and takes a permit afresh', permits(0, { [A]: OVER }), acquire(A, S10), [1, 1, 0], permits(0, { [A]: S10 }), { messages: ['1'] }],
    ['takes back what is over also where too many were taken away, and says nothing', permits(-2, { [B]: OVER }), acquire(A, S10), [0, -1, ''], permits(-1)],
    ['gives the permits the time to live of the semaphore', permits(2, {}, S60), acquire(A, S10), [1, 1, 1], permits(1, { [A]: S10 }, S60)],
  ],
  release: [
    ['gives a permit back and tells the new value', permits(0, { [A]: S10, [B]: S20 }), release(A), [1, 1], permits(1, { [B]: S20 }), { messages: ['1'], again: [0] }],
    ['gives the last one back', permits(2, { [A]: S10 }), release(A), [1, 1], permits(3), { messages: ['3'], again: [0] }],
    ['gives back a permit of Java that never expires', permits(0, { [A]: 'never' }), release(A), [1, 1], permits(1), { messages: ['1'], again: [0] }],
    ['says nothing while the value is negative', permits(-3, { [A]: S10 }), release(A), [1, 0], permits(-2), { again: [0] }],
    ['finds an unknown permit gone', permits(1, { [B]: S10 }), release(A), [0], permits(1, { [B]: S10 })],
    ['makes no semaphore', permits('none'), release(A), [0], permits('none')],
    ['finds a permit whose lease is over gone, and gives it back', permits(0, { [A]: OVER }), release(A), [0], permits(1), { messages: ['1'] }],
    ['leaves the others alone, also those whose leases are over', permits(0, { [A]: S10, [B]: OVER }), release(A), [1, 1], permits(1, { [B]: OVER }), { messages: ['1'], again: [0] }],
    ["keeps the semaphore's time to live", permits(0, { [A]: S10, [B]: S20 }, S60), release(A), [1, 1], permits(1, { [B]: S20 }, S60), { messages: ['1'], again: [0] }],
  ],
  renew: [
    ['raises the lease of a permit', permits(0, { [A]: S10 }), renew(A, S60), [1, S60], permits(0, { [A]: S60 })],
    ['never shortens it', permits(0, { [A]: S60 }), renew(A, S10), [1, S60], permits(0, { [A]: S60 })],
    ['leaves one that never expires', permits(0, { [A]: 'never' }), renew(A, S10), [1, -1], permits(0, { [A]: 'never' })],
    ['only looks with a lease of 0', permits(0, { [A]: S10 }), renew(A, 0), [1, S10], permits(0, { [A]: S10 })],
    ['finds an unknown permit gone, and makes none', permits(1, { [B]: S10 }), renew(A, S10), [0], permits(1, { [B]: S10 })],
    ['finds one whose lease is over gone, and tells that it is available', permits(0, { [A]: OVER }), renew(A, S10), [0], permits(1), { messages: ['1'] }],
    ['finds nothing where there is no semaphore', permits('none'), renew(A, S10), [0], permits('none')],
    ['sets a shorter lease where it is told to, and wakes all waiters', permits(0, { [A]: S60 }), renew(A, S10, 'set'), [1, S10], permits(0, { [A]: S10 }), { messages: ['2147483647'] }],
    ['sets a longer one', permits(0, { [A]: S10 }), renew(A, S60, 'set'), [1, S60], permits(0, { [A]: S60 })],
    ['sets an end to one that had none, and wakes all waiters', permits(0, { [A]: 'never' }), renew(A, S10, 'set'), [1, S10], permits(0, { [A]: S10 }), { messages: ['2147483647'] }],
    ['sets nothing for an unknown permit', permits(1), renew(A, S10, 'set'), [0], permits(1)],
    ['only looks with a lease of 0 whatever the manner', permits(0, { [A]: S10 }), renew(A, 0, 'set'), [1, S10], permits(0, { [A]: S10 })],
  ],
  inspect: [
    ['reads nothing', permits('none'), inspect(A), [1, 0, 0, -2, -1, ''], permits('none')],
    ['reads the permits', permits(3), inspect(), [1, 3, 0, -2, -1, ''], permits(3)],
    ['reads permits that outlived their semaphore', permits('none', { [B]: S10 }), inspect(), [1, 0, 1, -2, S10, B], permits('none', { [B]: S10 })],
    ['reads those that are taken, and the first to expire', permits(1, { [A]: S20, [B]: S10 }), inspect(A), [1, 1, 2, S20, S10, B], permits(1, { [B]: S10, [A]: S20 })],
    ['reads a permit that never expires', permits(1, { [A]: 'never' }), inspect(A), [1, 1, 1, -1, -1, A], permits(1, { [A]: 'never' })],
    ['reads an unknown permit', permits(1, { [B]: S10 }), inspect(A), [1, 1, 1, -2, S10, B], permits(1, { [B]: S10 })],
    ['counts a negative number', permits(-1, { [B]: S10 }), inspect(), [1, -1, 1, -2, S10, B], permits(-1, { [B]: S10 })],
    ['takes back what is over, and tells of it', permits(0, { [A]: OVER, [B]: S10 }), inspect(A), [1, 1, 1, -2, S10, B], permits(1, { [B]: S10 }), { messages: ['1'] }],
  ],
  'set permits': [
    ['makes a semaphore', permits('none'), resize(3), [1], permits(3), { messages: ['3'], again: [0] }],
    ['makes one without permits, and says nothing', permits('none'), resize(0), [1], permits(0), { again: [0] }],
    ['raises the number, taken ones included, and tells it', permits(1, { [A]: S10 }), resize(5), [1], permits(4, { [A]: S10 }), { messages: ['5'], again: [0] }],
    ['lowers it, below 0 too', permits(1, { [A]: S10, [B]: S20 }), resize(1), [1], permits(-1, { [A]: S10, [B]: S20 }), { messages: ['1'], again: [0] }],
    ['changes nothing where it is the same', permits(1, { [A]: S10 }), resize(2), [0], permits(1, { [A]: S10 })],
    ["keeps the semaphore's time to live", permits(1, { [A]: S10 }, S60), resize(5), [1], permits(4, { [A]: S10 }, S60), { messages: ['5'], again: [0] }],
  ],
};

describe.each([2, 3] as const)('over RESP%i', (protocol) => {
  let stage: ProtocolStage;
  let counter: Counter;
  beforeAll(() => {
    stage = ProtocolStage.open(inject('redisUrl'), { protocol });
  });
  beforeEach(() => {
    counter = counterOf(stage.names().lock);
  });
  afterEach(() => sweep(stage, counter));
  afterAll(() => stage.close());

  for (const [script, rows] of Object.entries(ROWS)) {
    for (const [name, before, operation, reply, after, more = {}] of rows) {
      const { messages = [], again = reply } = more;
      test(`${script} ${name}`, async () => {
        await putPermits(stage, counter, before);
        await stage.listen(counter.semaphoreChannel);
        for (const answer of [reply, again]) {
          expect(coarse(await send(stage, counter, operation))).toEqual(answer);
          expect(coarseLefts(await readPermits(stage, counter))).toEqual(coarseLefts(after));
          expect(await stage.messages(counter.semaphoreChannel)).toEqual(messages);
        }
      });
    }
  }

  test('answers each operation of a batch for itself, in their order', async () => {
    const wrong = counterOf(stage.names().lock);
    await stage.redis.hset(wrong.key, 'field', 'value');
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'hash'];
    await putPermits(stage, counter, permits(1));
    const taken = await sendAll(stage, [
      [counter, acquire(A, S10)],
      [wrong, acquire(A, S10)],
      [counter, acquire(B, S20)],
      [counter, acquire(A, S20)],
    ]);
    expect(coarse(taken)).toEqual([[1, 1, 0], WRONG, [0, S10, A], [1, 1, 0]]);
    const all: readonly (readonly [Operation, unknown])[] = [
      [inspect(A), [1, 0, 1, S20, S20, A]],
      [renew(A, S60), [1, S60]],
      [release(A), [1, 0]],
      [resize(4), [1]],
    ];
    for (const [operation, reply] of all) {
      expect(
        coarse(
          await sendAll(stage, [
            [wrong, operation],
            [counter, operation],
          ]),
        ),
      ).toEqual([WRONG, reply]);
    }
    expect(await readPermits(stage, counter)).toEqual(permits(4));
    await sweep(stage, wrong);
  });
});

/** How long a lease has been over does not matter. */
function coarseLefts({ taken, ...rest }: Permits): Permits {
  const lefts = Object.entries(taken).map(([permit, left]) => [
    permit,
    left !== 'never' && left < 0 ? OVER : left,
  ]);
  return { ...rest, taken: Object.fromEntries(lefts) };
}
