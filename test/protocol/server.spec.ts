import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { held, namesOf, ProtocolStage, type Names } from './protocol.stage.js';
import {
  acquire,
  forceRelease,
  release,
  renew,
  send,
  sendBatch,
  transfer,
  type Call,
} from './reentrant.calls.js';
import * as tick from './tick.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const S10 = 10_000;
const S60 = 60_000;
const TIME: unknown = expect.any(Number);

/** A server of our own, whose settings may be spoiled. */
let server: RunningRedis;
let stage: ProtocolStage;
let names: Names;
beforeAll(async () => {
  server = await startRedis();
  stage = ProtocolStage.open(server.url);
});
beforeEach(() => {
  names = stage.names();
});
afterAll(async () => {
  await stage.close();
  await server.stop();
});

describe.each(['OOM', 'READONLY'] as const)('a server that answers %s', (code) => {
  const refused = [-1, expect.stringMatching(new RegExp(`^${code} `)), expect.any(String)];

  test('refuses each acquisition of a batch by that code in front, and nothing is half written', async () => {
    const [mine, theirs, free] = [stage.names(), stage.names(), stage.names()];
    await stage.put(mine.lock, held({ [A]: 1 }, S10));
    await stage.put(theirs.lock, held({ [B]: 1 }, S10));
    await stage.whileRefusing(code, async () => {
      const busy = [0, expect.any(Number), B];
      const again = await sendBatch(stage, [
        [mine, acquire(A, S60, 2)],
        [theirs, acquire(A, S60, 2)],
      ]);
      expect(again).toEqual([refused, busy]);
      const first = await sendBatch(stage, [
        [theirs, acquire(A, S60, 1)],
        [free, acquire(A, S60, 1)],
      ]);
      expect(first).toEqual([busy, refused]);
    });
    expect(await stage.state(mine.lock)).toEqual(held({ [A]: 1 }, S10));
    expect(await stage.state(free.lock)).toBe('free');
  });

  test('refuses a claim by that code in front, and the tick stays unclaimed', async () => {
    await stage.redis.hset(names.record, 'mark', '1');
    const before = await tick.wholeState(stage, names);
    await stage.whileRefusing(code, async () => {
      const reply = await tick.claim(stage, names, { mode: 'instant', tick: 2 });
      expect(reply).toEqual(refused);
    });
    expect(await tick.wholeState(stage, names)).toEqual(before);
  });
});

// prettier-ignore
const SHRINKING: readonly (readonly [string, Call, unknown])[] = [
  ['a partial release', release(A, 1, S10), [2, 1]],
  ['a final release', release(A, 0, S10), [1]],
  ['a forced unlock', forceRelease(), [1, 0]],
  ['a hand-over', transfer(A, B, S10), [1]],
  ['a renewal', renew(A, S60), [1]],
];

test.each(SHRINKING)('a server that is out of memory still lets %s happen', async (_what, call, reply) => {
  await stage.put(names.lock, held({ [A]: 2 }, S10));
  await stage.whileRefusing('OOM', async () => {
    expect(await send(stage, names, call)).toEqual(reply);
  });
});

test('a server that is out of memory still lets a run end', async () => {
  const token = await tick.begin(stage, names);
  await stage.whileRefusing('OOM', async () => {
    expect(await tick.finish(stage, names, { token })).toEqual([1, TIME, 0]);
  });
  expect(await tick.settledRows(stage, names)).toMatchObject([{ outcome: 'completed', token }]);
});

test('a replica that may not write keeps the lock at a release', async () => {
  await stage.put(names.lock, held({ [A]: 1 }, S10));
  await stage.whileRefusing('READONLY', async () => {
    expect(await send(stage, names, release(A, 0, S10))).toEqual([
      -1,
      expect.stringMatching(/^READONLY /),
      'hash',
    ]);
  });
  expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S10));
});

describe('a user of limited rights', () => {
  /** Opens the stage of a user with everything but what `rights` take away. */
  async function limited(...rights: string[]): Promise<ProtocolStage> {
    await stage.redis.acl('SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '&*', '+@all', ...rights);
    return ProtocolStage.open(server.url, { username: 'limited', password: 'secret' });
  }

  test('has the whole batch refused, before any of it runs, when one key is not its own', async () => {
    const own = namesOf('own:a');
    const user = await limited('resetkeys', '~own:*', '~{own:*');
    await expect(
      sendBatch(user, [
        [own, acquire(A, S10, 1)],
        [names, acquire(A, S10, 1)],
      ]),
    ).rejects.toThrow(/^NOPERM /);
    expect(await stage.state(own.lock)).toBe('free');
    expect(await send(user, own, acquire(A, S10, 1))).toEqual([1]);
    await user.close();
  });

  test('frees a lock although it may not publish, and gets that answer', async () => {
    const user = await limited('resetchannels');
    await stage.put(names.lock, held({ [A]: 1 }, S10));
    expect(await send(user, names, release(A, 0, S10))).toEqual([1, -1]);
    await stage.put(names.lock, held({ [A]: 1 }, S10));
    expect(await send(user, names, forceRelease())).toEqual([1, -1]);
    const token = await tick.begin(stage, names);
    expect(await tick.finish(user, names, { token })).toEqual([1, TIME, -1]);
    expect(await stage.state(names.lock)).toBe('free');
    await user.close();
  });

  test('that may not run TYPE still gets the good ones of a batch', async () => {
    const user = await limited('-type');
    const wrong = stage.names();
    await stage.redis.set(wrong.lock, 'value');
    const replies = await sendBatch(user, [
      [names, acquire(A, S10, 1)],
      [wrong, acquire(A, S10, 1)],
    ]);
    expect(replies).toEqual([[1], [-1, expect.stringMatching(/^WRONGTYPE /), 'unknown']]);
    await user.close();
  });
});
