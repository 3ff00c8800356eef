import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { coarse, held, namesOf, ProtocolStage, type LockState, type Names } from './protocol.stage.js';
import { acquire, forceRelease, release, renew, send, transfer, type Call } from './reentrant.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const FOREIGN = '6e38a1f0-0000-4000-8000-000000000002:1';
const FREE: LockState = 'free';
const S10 = 10_000;
const S60 = 60_000;

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

/** Sends one call after the other to a lock of its own and tells their replies. */
async function play(...calls: readonly Call[]): Promise<unknown[]> {
  names = stage.names();
  const replies = [];
  for (const call of calls) replies.push(coarse(await send(stage, names, call)));
  return replies;
}

describe('an acquisition whose reply was lost', () => {
  test('is granted the same again, with its full lease from then on', async () => {
    await play(acquire(A, S60, 1));
    await stage.redis.pexpire(names.lock, 5000);
    expect(await send(stage, names, acquire(A, S60, 1))).toEqual([1]);
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S60));
  });

  test('is undone by a release to 0, which leaves no key', async () => {
    expect(await play(acquire(A, S10, 1), release(A, 0, S10))).toEqual([[1], [1]]);
    expect(await stage.state(names.lock)).toBe(FREE);
  });

  test('is undone by a release to 0 also where it never ran', async () => {
    expect(await play(acquire(FOREIGN, S10, 1), release(A, 0, S10))).toEqual([[1], [0]]);
    expect(await stage.state(names.lock)).toEqual(held({ [FOREIGN]: 1 }, S10));
  });

  test('is refused at its repeat when a forced unlock let another holder in', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      forceRelease(),
      acquire(FOREIGN, S10, 1),
      acquire(A, S10, 1),
    );
    expect(replies.at(-1)).toEqual([0, S10, FOREIGN]);
  });

  test('leaves a lock that only its lease ends when it runs after its own undo', async () => {
    expect(await play(release(A, 0, S10), acquire(A, S10, 1))).toEqual([[0], [1]]);
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S10));
  });
});

describe('a re-entry', () => {
  test.each([
    ['in order', [2, 3]],
    ['in the other order', [3, 2]],
    ['with repeats', [2, 3, 2, 3]],
  ])('of two nested acquisitions reaches count 3, never 4, when they arrive %s', async (_how, counts) => {
    await play(acquire(A, S10, 1), ...counts.map((count) => acquire(A, S10, count)));
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 3 }, S10));
  });

  test('that comes after the final release takes nothing', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      acquire(A, S10, 2),
      release(A, 0, S10),
      acquire(A, S10, 2),
    );
    expect(replies.at(-1)).toEqual([2]);
    expect(await stage.state(names.lock)).toBe(FREE);
  });

  test('that comes after its own partial release is taken down by the final one', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      acquire(A, S10, 2),
      release(A, 1, S10),
      acquire(A, S10, 2),
      release(A, 0, S10),
    );
    expect(replies.slice(2)).toEqual([[2, 1], [1], [1]]);
    expect(await stage.state(names.lock)).toBe(FREE);
  });
});

describe('a release whose reply was lost', () => {
  test('finds nothing at its repeat, and leaves the next holder alone', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      release(A, 0, S10),
      acquire(FOREIGN, S60, 1),
      release(A, 0, S10),
    );
    expect(replies.at(-1)).toEqual([0]);
    expect(await stage.state(names.lock)).toEqual(held({ [FOREIGN]: 1 }, S60));
  });

  test('does not revive a lock when the partial one comes after the final one', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      acquire(A, S10, 2),
      release(A, 0, S10),
      release(A, 1, S10),
    );
    expect(replies.at(-1)).toEqual([0]);
    expect(await stage.state(names.lock)).toBe(FREE);
  });

  test('lowers a later re-entry and its lease when the partial one comes late', async () => {
    const replies = await play(acquire(A, S60, 1), acquire(A, S60, 2), release(A, 1, S10));
    expect(replies.at(-1)).toEqual([2, 1]);
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S10));
  });
});

describe('a transfer', () => {
  test('gives the new holder its full lease again when it is repeated', async () => {
    await play(acquire(A, S10, 1), transfer(A, B, S60));
    await stage.redis.pexpire(names.lock, 5000);
    expect(await send(stage, names, transfer(A, B, S60))).toEqual([1]);
    expect(await stage.state(names.lock)).toEqual(held({ [B]: 1 }, S60));
  });

  test('keeps the re-entries of the new holder when it is repeated', async () => {
    await play(acquire(A, S10, 1), transfer(A, B, S10), acquire(B, S10, 2), transfer(A, B, S10));
    expect(await stage.state(names.lock)).toEqual(held({ [B]: 2 }, S10));
  });

  test('is refused when a forced unlock let another holder in before it', async () => {
    const replies = await play(
      acquire(A, S10, 1),
      forceRelease(),
      acquire(FOREIGN, S10, 1),
      transfer(A, B, S60),
    );
    expect(replies.at(-1)).toEqual([0, S10, FOREIGN]);
    expect(await stage.state(names.lock)).toEqual(held({ [FOREIGN]: 1 }, S10));
  });

  test('leaves nothing to a later release of the former holder', async () => {
    expect((await play(acquire(A, S10, 1), transfer(A, B, S10), release(A, 0, S10))).at(-1)).toEqual([0]);
    expect(await stage.state(names.lock)).toEqual(held({ [B]: 1 }, S10));
  });
});

const ALPHABET: Readonly<Record<string, Call>> = {
  'acquire A to 1': acquire(A, S10, 1),
  'acquire A to 2': acquire(A, S60, 2),
  'release A to 1': release(A, 1, S10),
  'release A to 0': release(A, 0, S10),
  'hand A to B': transfer(A, B, S10),
  'acquire B to 1': acquire(B, S10, 1),
  'release B to 0': release(B, 0, S10),
  'renew A': renew(A, S60),
  'force release': forceRelease(),
};

test.each(Object.entries(ALPHABET))(
  'after any two calls, "%s" leaves one holder with a lease or none, and the same when it runs twice',
  async (last, call) => {
    const faults: string[] = [];
    for (const [first, one] of Object.entries(ALPHABET)) {
      for (const [second, two] of Object.entries(ALPHABET)) {
        await play(one, two, call);
        const once = await stage.state(names.lock);
        await send(stage, names, call);
        const twice = await stage.state(names.lock);
        const sound = once === 'free' || (Object.keys(once.counts).length === 1 && once.ttl > 0);
        if (!sound || !isDeepStrictEqual(once, twice)) {
          faults.push(`${first}, ${second}, ${last}: ${JSON.stringify(once)}, then ${JSON.stringify(twice)}`);
        }
      }
    }
    expect(faults).toEqual([]);
  },
);

test('leaves the keys of other names alone', async () => {
  const other = namesOf(`${stage.names().lock}:other`);
  await play(acquire(A, S10, 1), release(A, 0, S10));
  expect(await stage.redis.exists(...other.tick)).toBe(0);
});
