import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  amount,
  counterOf,
  play,
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
import { close, count, countDown, forget, KEEP, open } from './semaphore.calls.js';

const S10 = 10_000;
const NONE: Amount = 'none';
const MOST = 9_007_199_254_740_991;
const record = (value: number): Amount => amount(value, KEEP);

/** The latch and the call's record after it, what the channel says at the call, and the reply of its repeat where it differs. */
type Row = readonly [
  name: string,
  before: Amount,
  operation: Operation,
  reply: unknown,
  after: Amount,
  record: Amount,
  messages?: readonly string[],
  again?: unknown,
];

// prettier-ignore
const ROWS: Record<string, readonly Row[]> = {
  'count down': [
    ['takes one off, without a message', amount(3), countDown(), [1, 2], amount(2), record(2)],
    ["keeps the latch's time to live", amount(3, S10), countDown(), [1, 2], amount(2, S10), record(2)],
    ['opens the latch at 0 and tells it', amount(1), countDown(), [1, 0], NONE, record(0), ['0']],
    ['finds an open latch, and makes none', NONE, countDown(), [0], NONE, NONE],
    ['opens a latch of 0, which is no news', amount(0), countDown(), [1, 0], NONE, record(0)],
    ['opens a latch of less than 0, which is no news', amount(-2), countDown(), [1, 0], NONE, record(0)],
  ],
  'set count': [
    ['closes an open latch and tells it', NONE, close(3), [1], amount(3), record(1), ['1']],
    ['takes the largest count exactly', NONE, close(MOST), [1], amount(`${MOST}`), record(1), ['1']],
    ['leaves a closed one alone', amount(2, S10), close(3), [0], amount(2, S10), NONE],
  ],
  inspect: [
    ['reads an open latch', NONE, count(), [1, 0], NONE, NONE],
    ['reads a count', amount(3), count(), [1, 3], amount(3), NONE],
    ['reads a count below 0 as an open latch', amount(-1), count(), [1, 0], amount(-1), NONE],
  ],
  delete: [
    ['finds an open latch, and says nothing', NONE, open(), [0], NONE, NONE],
    ['opens a latch and tells it as a count of 0, so that every waiter leaves', amount(3), open(), [1], NONE, NONE, ['0'], [0]],
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
    for (const [name, before, operation, reply, after, left, messages = [], again = reply] of rows) {
      test(`${script} ${name}`, async () => {
        await put(stage, counter.key, before);
        await stage.listen(counter.latchChannel);
        for (const answer of [reply, again]) {
          expect(coarse(await send(stage, counter, operation))).toEqual(answer);
          expect(await read(stage, counter.key)).toEqual(after);
          expect(await read(stage, counter.record('c'))).toEqual(left);
          expect(await stage.messages(counter.latchChannel)).toEqual(messages);
        }
      });
    }
  }

  test('the channel has braces and no colon, also for a name that has braces itself', () => {
    expect(counterOf('latch').latchChannel).toBe('redisson_countdownlatch__channel__{latch}');
    expect(counterOf('{t}:latch').latchChannel).toBe('redisson_countdownlatch__channel__{{t}:latch}');
  });

  test('a countdown whose reply was lost counts once, whatever came in between', async () => {
    await stage.listen(counter.latchChannel);
    const calls = [
      close(2, 'a'),
      countDown('b'),
      countDown('d'),
      countDown('b'),
      close(5, 'e'),
      countDown('d'),
      close(2, 'a'),
    ];
    expect(await play(stage, counter, ...calls)).toEqual([[1], [1, 1], [1, 0], [1, 1], [1], [1, 0], [1]]);
    expect(await read(stage, counter.key)).toEqual(amount(5));
    expect(await stage.messages(counter.latchChannel)).toEqual(['1', '0', '1']);
  });

  test('counts again once the record is forgotten', async () => {
    const calls = [close(3, 'a'), countDown(), forget(), countDown(), forget(S10), countDown()];
    expect(await play(stage, counter, ...calls)).toEqual([[1], [1, 2], [1], [1, 1], [1], [1, 1]]);
    expect(await read(stage, counter.record('c'))).toEqual(amount(1, S10));
  });

  test('answers each operation of a batch for itself, in their order', async () => {
    const wrong = counterOf(stage.names().lock);
    await stage.redis.hset(wrong.key, 'field', 'value');
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'hash'];
    const both = (operation: Operation) =>
      sendAll(stage, [
        [wrong, operation],
        [counter, operation],
      ]);
    expect(await both(close(2, 'a'))).toEqual([WRONG, [1]]);
    const downs = await sendAll(stage, [
      [counter, countDown('b')],
      [wrong, countDown('b')],
      [counter, countDown('d')],
      [counter, countDown('e')],
    ]);
    expect(downs).toEqual([[1, 1], WRONG, [1, 0], [0]]);
    expect(await both(count())).toEqual([WRONG, [1, 0]]);
    expect(await both(open())).toEqual([WRONG, [0]]);
    await sweep(stage, wrong);
  });
});
