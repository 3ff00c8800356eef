import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  amount,
  counterOf,
  put,
  read,
  send,
  sendAll,
  sweep,
  type Amount,
  type Counter,
  type Operation,
} from './counter.stage.js';
import { coarse, ProtocolStage } from './protocol.stage.js';
import { acquire, add, drain, forget, KEEP, look, remove, set, undo } from './semaphore.calls.js';

const S10 = 10_000;
const NONE: Amount = 'none';
const MOST = 2_147_483_647;
const record = (value: number | string): Amount => amount(value, KEEP);

interface More {
  /** Messages on the channel, after the call and after its repeat alike. */
  readonly messages?: readonly string[];
  /** The reply of the same call, sent again, where it differs; the state must not. */
  readonly again?: unknown;
}
/** The semaphore and the call's record after it: a call that changes nothing has none. */
type Row = readonly [
  name: string,
  before: Amount,
  operation: Operation,
  reply: unknown,
  after: Amount,
  record: Amount,
  more?: More,
];

const existing = { where: 'existing' };
const byChange = { payload: 'change' };

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  acquire: [
    ['takes a permit without a message', amount(3), acquire(1), [1, 2], amount(2), record('1 2')],
    ['takes the last permits', amount(3), acquire(3), [1, 0], amount(0), record('3 0')],
    ['takes none where one is missing', amount(3), acquire(4), [0, 3], amount(3), NONE],
    ['takes none where none is available', amount(0), acquire(1), [0, 0], amount(0), NONE],
    ['takes none where too many were taken away', amount(-2), acquire(1), [0, -2], amount(-2), NONE],
    ['finds nothing where there is no semaphore, and makes none', NONE, acquire(1), [0, 0], NONE, NONE],
    ["keeps the semaphore's time to live", amount(3, S10), acquire(1), [1, 2], amount(2, S10), record('1 2')],
  ],
  release: [
    ['gives a permit back and tells the new value', amount(2), add(1), [1, 3, 1], amount(3), record(3), { messages: ['3'], again: [1, 3, 0] }],
    ['gives several back at once', amount(2), add(5), [1, 7, 1], amount(7), record(7), { messages: ['7'], again: [1, 7, 0] }],
    ['makes the semaphore where there is none', NONE, add(1), [1, 1, 1], amount(1), record(1), { messages: ['1'], again: [1, 1, 0] }],
    ['says nothing while the value is negative', amount(-3), add(2), [1, -1, 0], amount(-1), record(-1)],
    ['says nothing when the value is 0', amount(-1), add(1), [1, 0, 0], amount(0), record(0)],
    ['tells no number above 32 bits', amount(MOST), add(1), [1, MOST + 1, 1], amount(MOST + 1), record(MOST + 1), { messages: [`${MOST}`], again: [1, MOST + 1, 0] }],
    ["keeps the semaphore's time to live (D27)", amount(1, S10), add(1), [1, 2, 1], amount(2, S10), record(2), { messages: ['2'], again: [1, 2, 0] }],
    ['does nothing without a semaphore where it must exist', NONE, add(1, existing), [0], NONE, NONE],
    ['gives back to one that exists', amount(0), add(1, existing), [1, 1, 1], amount(1), record(1), { messages: ['1'], again: [1, 1, 0] }],
  ],
  'add permits': [
    ['takes away with a negative number, below 0 too', amount(1, S10), add(-3), [1, -2, 0], amount(-2, S10), record(-2)],
    ['tells the new value also when it fell', amount(5), add(-3), [1, 2, 1], amount(2), record(2), { messages: ['2'], again: [1, 2, 0] }],
    ['of an expirable semaphore tells the change', amount(-2), add(1, byChange), [1, -1, 1], amount(-1), record(-1), { messages: ['1'], again: [1, -1, 0] }],
    ['of an expirable semaphore tells nothing of a negative change', amount(5), add(-1, byChange), [1, 4, 0], amount(4), record(4)],
  ],
  drain: [
    ['takes what is available without a message', amount(3), drain(), [1, 3], amount(0), record('3 0')],
    ['finds nothing where there is no semaphore, and makes none', NONE, drain(), [1, 0], NONE, NONE],
    ['finds nothing to take', amount(0), drain(), [1, 0], amount(0), NONE],
    ['raises a negative value to 0, as Java does', amount(-3), drain(), [1, -3], amount(0), record('-3 0')],
    ["keeps the semaphore's time to live (D27)", amount(3, S10), drain(), [1, 3], amount(0, S10), record('3 0')],
  ],
  set: [
    ['makes a semaphore and tells its permits', NONE, set(3), [1, 3, 1], amount(3), record(1), { messages: ['3'], again: [1, 3, 0] }],
    ['makes one that ends', NONE, set(3, S10), [1, 3, 1], amount(3, S10), record(1), { messages: ['3'], again: [1, 3, 0] }],
    ['makes one of no permits, and says nothing', NONE, set(0), [1, 0, 0], amount(0), record(1)],
    ['makes the largest one', NONE, set(MOST), [1, MOST, 1], amount(MOST), record(1), { messages: [`${MOST}`], again: [1, MOST, 0] }],
    ['leaves one that is there alone', amount(0, S10), set(3), [0], amount(0, S10), NONE],
  ],
  inspect: [
    ['reads nothing', NONE, look(), [1, 0, -2], NONE, NONE],
    ['reads the permits', amount(3), look(), [1, 3, -1], amount(3), NONE],
    ['reads the time to live', amount(-3, S10), look(), [1, -3, S10], amount(-3, S10), NONE],
  ],
  delete: [
    ['finds nothing', NONE, remove(), [0], NONE, NONE],
    ['deletes', amount(0), remove(), [1], NONE, NONE, { again: [0] }],
  ],
  undo: [
    ['of a call that never came leaves the permits alone', amount(3, S10), undo(), [0], amount(3, S10), record('undone')],
    ['makes no semaphore', NONE, undo(), [0], NONE, record('undone')],
  ],
  forget: [
    ['finds nothing', amount(3), forget(), [1], amount(3), NONE],
    ['makes no record to keep', amount(3), forget(S10), [1], amount(3), NONE],
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
    for (const [name, before, operation, reply, after, left, more = {}] of rows) {
      const { messages = [], again = reply } = more;
      test(`${script} ${name}`, async () => {
        await put(stage, counter.key, before);
        await stage.listen(counter.semaphoreChannel);
        for (const answer of [reply, again]) {
          expect(coarse(await send(stage, counter, operation))).toEqual(coarse(answer));
          expect(await read(stage, counter.key)).toEqual(after);
          expect(await read(stage, counter.record('c'))).toEqual(left);
          expect(await stage.messages(counter.semaphoreChannel)).toEqual(messages);
        }
      });
    }
  }

  test('answers each operation of a batch for itself, in their order', async () => {
    const wrong = counterOf(stage.names().lock);
    await stage.redis.hset(wrong.key, 'field', 'value');
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'hash'];
    const one = await sendAll(stage, [
      [counter, add(2, { call: 'a' })],
      [wrong, add(2)],
      [counter, add(2, { call: 'b' })],
      [counter, add(2, { call: 'a' })],
    ]);
    expect(one).toEqual([[1, 2, 0], WRONG, [1, 4, 0], [1, 2, 0]]);
    const two = await sendAll(stage, [
      [counter, acquire(3, 'd')],
      [wrong, acquire(1)],
      [counter, acquire(3, 'e')],
      [counter, acquire(3, 'd')],
    ]);
    expect(two).toEqual([[1, 1], WRONG, [0, 1], [1, 1]]);
    const three = await sendAll(stage, [
      [counter, undo('d')],
      [wrong, undo()],
      [counter, undo('e')],
    ]);
    expect(three).toEqual([[1, 4, 0], WRONG, [0]]);
    expect(
      await sendAll(stage, [
        [wrong, look()],
        [counter, look()],
      ]),
    ).toEqual([WRONG, [1, 4, -1]]);
    expect(
      await sendAll(stage, [
        [wrong, set(1)],
        [counter, set(1)],
      ]),
    ).toEqual([WRONG, [0]]);
    expect(
      await sendAll(stage, [
        [wrong, drain()],
        [counter, drain()],
      ]),
    ).toEqual([WRONG, [1, 4]]);
    expect(
      await sendAll(stage, [
        [wrong, remove()],
        [counter, remove()],
      ]),
    ).toEqual([WRONG, [1]]);
    await sweep(stage, wrong);
  });
});
