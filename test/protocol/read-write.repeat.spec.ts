import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '../models/store.dump.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { ProtocolStage } from './protocol.stage.js';
import {
  forceRead,
  forceWrite,
  read,
  renewRead,
  renewWrite,
  rwNames,
  unread,
  unwrite,
  write,
  type Call,
  type RwNames,
} from './read-write.calls.js';
import { clear, free, put, reading, S, seen, send, shown, waitedFor, writing } from './read-write.stage.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const [S1, S3, S6] = [S, 3 * S, 6 * S];

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

/** Sends one call after the other and tells their replies. */
async function play(...calls: readonly Call[]): Promise<unknown[]> {
  const replies = [];
  for (const call of calls) replies.push(await send(stage, names, call));
  return replies;
}

async function expectState(state: Parameters<typeof shown>[0]): Promise<void> {
  expect(await seen(stage, names)).toEqual(shown(state, names));
}

describe('an acquisition whose reply was lost', () => {
  test('to read is granted the same again, with its full lease from then on', async () => {
    await put(stage, names, reading({ [A]: [S1] }));
    expect(await play(read(A, S6, 1))).toEqual([[1]]);
    await expectState(reading({ [A]: [S6] }));
  });

  test('to write is granted the same again, with its full lease from then on', async () => {
    await put(stage, names, writing(A, 1, S1));
    expect(await play(write(A, S6, 1))).toEqual([[1, 1]]);
    await expectState(writing(A, 1, S6));
  });

  test('is undone by a release to 0, which leaves no key', async () => {
    expect(await play(read(A, S1, 1), unread(A, 0, 1))).toEqual([[1], [1, 0]]);
    expect(await play(write(A, S1, 1), unwrite(A, 0, 1))).toEqual([
      [1, 1],
      [1, 0],
    ]);
    await expectState(free());
  });

  test('is undone by a release to 0 also where it never ran', async () => {
    expect(await play(read(B, S1, 1), unread(A, 0, 1), unwrite(A, 0, 1))).toEqual([[1], [0], [0]]);
    await expectState(reading({ [B]: [S1] }));
  });

  test('is undone on the side of the readers beside a write hold, and the other way round', async () => {
    await play(write(A, S1, 1), read(A, S1, 1), unread(A, 0, 1));
    await expectState(writing(A, 1, S1));
    await play(read(A, S3, 1), unwrite(A, 0, 1));
    await expectState(reading({ [A]: [S3] }));
  });

  test('to write is undone with what it left for readers to see', async () => {
    await play(read(B, S1, 1), write(A, S1, 1, S6));
    await expectState(waitedFor(reading({ [B]: [S1] }), A, S6));
    await play(unwrite(A, 0, 1));
    await expectState(reading({ [B]: [S1] }));
  });

  test('is refused at its repeat when a forced unlock let another holder in', async () => {
    expect((await play(read(A, S1, 1), forceRead(), write(B, S1, 1), read(A, S1, 1))).at(-1)).toEqual([
      0,
      S1,
      B,
    ]);
  });

  test.each([
    ['in order', [2, 3]],
    ['in the other order', [3, 2]],
    ['with repeats', [2, 3, 2, 3]],
  ])('and a second nested one reach count 3, never 4, when they arrive %s', async (_how, counts) => {
    await play(read(A, S1, 1), ...counts.map((count) => read(A, S1, count)));
    await expectState(reading({ [A]: [S1, S1, S1] }));
    await play(unread(A, 0, 1), write(A, S1, 1), ...counts.map((count) => write(A, S1, count)));
    await expectState(writing(A, 3, S1));
  });
});

describe('a release whose reply was lost', () => {
  test('finds nothing at its repeat, and leaves the next holder alone', async () => {
    expect((await play(read(A, S1, 1), unread(A, 0, S1), write(B, S6, 1), unread(A, 0, S1))).at(-1)).toEqual([
      0,
    ]);
    await expectState(writing(B, 1, S6));
    await clear(stage, names);
    expect(
      (await play(write(A, S1, 1), unwrite(A, 0, S1), read(B, S6, 1), unwrite(A, 0, S1))).at(-1),
    ).toEqual([0]);
    await expectState(reading({ [B]: [S6] }));
  });

  test('does not revive a lock when the partial one comes after the final one', async () => {
    await play(read(A, S1, 2), read(A, S1, 1), read(A, S1, 2), unread(A, 0, S1), unread(A, 1, S1));
    await play(write(A, S1, 1), write(A, S1, 2), unwrite(A, 0, S1), unwrite(A, 1, S1));
    await expectState(free());
  });
});

describe('time', () => {
  test('admits a reader when the writer that waited is dead', async () => {
    await play(read(B, S1, 1), write('dead', S1, 1, scaled(500)));
    const [refusal] = await play(read(A, S1, 1));
    expect(refusal).toEqual([0, expect.any(Number), 'dead']);
    await until('the reader is let in', async () => {
      const [reply] = await play(read(A, S1, 1));
      return isDeepStrictEqual(reply, [1]);
    });
    // A reader passes in the last part of a millisecond of the intent, whose key is then still there.
    await until('the intent has ended', async () => (await stage.redis.exists(names.intent)) === 0);
    await expectState(reading({ [A]: [S1], [B]: [S1] }));
  });

  test('ends the hold of a reader that died, while others read on', async () => {
    await play(read(B, S1, 1), read(A, 50, 1));
    await until('its hold has run out', async () => Object.keys(await seen(stage, names)).length === 2);
    expect(await play(unread(B, 0, S1), write(B, S1, 1))).toEqual([
      [1, 0],
      [1, 1],
    ]);
    await expectState(writing(B, 1, S1));
  });

  test('ends the lock with the last of its readers', async () => {
    await play(read(A, 200, 1), read(B, 50, 1));
    await until('the lock has ended', async () => (await stage.redis.exists(names.lock)) === 0);
    await expectState(free());
  });
});

const ALPHABET: Readonly<Record<string, Call>> = {
  'A reads': read(A, S1, 1),
  'A reads twice': read(A, S6, 2),
  'A reads once less': unread(A, 1, S1),
  'A reads no more': unread(A, 0, S1),
  'A writes': write(A, S3, 1, S1),
  'A writes twice': write(A, S6, 2, S1),
  'A writes once less': unwrite(A, 1, S1),
  'A writes no more': unwrite(A, 0, S1),
  'B reads': read(B, S3, 1),
  'B reads no more': unread(B, 0, S1),
  'B writes': write(B, S1, 1, S3),
  'B writes no more': unwrite(B, 0, S1),
  'A renews what it reads': renewRead(A, S6),
  'A renews what it writes': renewWrite(A, S6),
  'readers are forced out': forceRead(),
  'a writer is forced out': forceWrite(),
};

/** What no state may have, whatever led to it. */
function faultOf(snapshot: Snapshot): string | undefined {
  const { [names.lock]: lock, [names.intent]: _intent, ...holds } = snapshot;
  if (lock === undefined) return Object.keys(holds).length > 0 ? 'holds without a lock' : undefined;
  if (lock.type !== 'hash') return `a ${lock.type}`;
  const { mode, ...counts } = lock.fields;
  const readers = Object.entries(counts).filter(([field]) => !field.endsWith(':write'));
  const keys = readers.flatMap(([reader, count]) =>
    Array.from({ length: Number(count) }, (_, index) =>
      names.suffix(`${reader}:rwlock_timeout:${index + 1}`),
    ),
  );
  if (!isDeepStrictEqual(Object.keys(holds).toSorted(), keys.toSorted())) return 'a hold too many or too few';
  if (Object.values(holds).some(({ ttl }) => ttl > lock.ttl)) return 'a hold that outlives the lock';
  const writers = Object.keys(counts).filter((field) => field.endsWith(':write'));
  if (mode === 'read') return writers.length > 0 ? 'a writer among readers' : undefined;
  const foreign = readers.filter(([reader]) => `${reader}:write` !== writers[0]);
  return writers.length === 1 && foreign.length === 0 ? undefined : 'two who exclude each other';
}

describe('after any two calls', () => {
  /** Many pairs of calls lead to the same keys with the same times: one pair for each such state. */
  const states = new Map<string, { readonly path: string; readonly calls: readonly [Call, Call] }>();

  beforeAll(async () => {
    names = rwNames(stage.names().lock);
    for (const [first, one] of Object.entries(ALPHABET)) {
      for (const [second, two] of Object.entries(ALPHABET)) {
        await play(one, two);
        const state = JSON.stringify(await seen(stage, names));
        if (!states.has(state)) states.set(state, { path: `${first}, ${second}`, calls: [one, two] });
        await clear(stage, names);
      }
    }
  });

  test.each(Object.entries(ALPHABET))(
    '"%s" leaves a sound state, and as much when it runs twice',
    async (last, call) => {
      const faults: string[] = [];
      for (const { path, calls } of states.values()) {
        await play(...calls, call);
        const once = await seen(stage, names);
        await play(call);
        const twice = await seen(stage, names);
        const fault = faultOf(once) ?? (isDeepStrictEqual(once, twice) ? undefined : 'not the same again');
        if (fault !== undefined) faults.push(`${path}, ${last}: ${fault} ${JSON.stringify(once)}`);
        await clear(stage, names);
      }
      expect(faults).toEqual([]);
    },
  );
});
