import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import {
  FENCE_LUA,
  guardedWrite,
  type Fence,
  type GuardedCommand,
} from '../../libs/distributed-lock/src/fencing/fencing.guard.js';
import { StaleTokenError } from '../../libs/distributed-lock/src/errors/lock.errors.js';

const BIG = 2n ** 53n;

let redis: Redis;
let tag: string;
let fence: string;
let value: string;
const tags: string[] = [];
beforeAll(() => {
  redis = new Redis(inject('redisUrl'));
});
beforeEach(() => {
  tag = `{guard:${randomUUID()}}`;
  tags.push(tag);
  [fence, value] = [`${tag}:fence`, `${tag}:value`];
});
afterAll(async () => {
  await redis.del(...tags.flatMap((each) => ['fence', 'value', 'more'].map((key) => `${each}:${key}`)));
  redis.disconnect();
});

const set = (text: string): GuardedCommand => ['SET', value, text];

describe('a guarded write', () => {
  test('of the first token there is passes, and leaves it at the fence', async () => {
    expect(await guardedWrite(redis, { fence, token: 5n }, [set('five')])).toEqual(['OK']);
    expect(await redis.mget(fence, value)).toEqual(['5', 'five']);
    expect(await redis.pttl(fence)).toBe(-1);
  });

  test('of the same holder passes as often as it likes', async () => {
    await guardedWrite(redis, { fence, token: 5n }, [set('once')]);
    await guardedWrite(redis, { fence, token: 5n }, [set('twice')]);
    expect(await redis.mget(fence, value)).toEqual(['5', 'twice']);
  });

  test.each([
    [0n, 1n],
    [9n, 10n],
    [99n, 100n],
    [BIG, BIG + 1n],
    [BIG * 2n - 1n, BIG * 2n],
    [9223372036854775806n, 9223372036854775807n],
    [10n ** 30n, 10n ** 30n + 1n],
  ])('of token %d passes before token %d, and is refused after it', async (older, newer) => {
    await guardedWrite(redis, { fence, token: older }, [set('older')]);
    await guardedWrite(redis, { fence, token: newer }, [set('newer')]);
    const late = guardedWrite(redis, { fence, token: older }, [set('late'), ['DEL', `${tag}:more`]]);
    await expect(late).rejects.toThrow(StaleTokenError);
    await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN', fence, token: older, newest: newer });
    expect(await redis.mget(fence, value)).toEqual([`${newer}`, 'newer']);
  });

  test('runs its commands in their order, and returns their replies as the client would', async () => {
    await redis.rpush(`${tag}:more`, 'a');
    const replies = await guardedWrite(redis, { fence, token: 1n }, [
      ['SET', value, 7],
      ['INCRBY', value, 3],
      ['HGET', `${tag}:none`, 'field'],
      ['RPUSH', `${tag}:more`, 'b', 'ü', '', Buffer.from([0, 255])],
      ['LRANGE', `${tag}:more`, 0, 2],
      ['get', value],
    ]);
    expect(replies).toEqual(['OK', 10, null, 5, ['a', 'b', 'ü'], '10']);
    expect(await redis.lindexBuffer(`${tag}:more`, 4)).toEqual(Buffer.from([0, 255]));
  });

  test('of two holders at once never lets the older one write over the newer one', async () => {
    const holders = Array.from({ length: 20 }, (_holder, index) => BigInt(index) + BIG);
    const shuffled = holders.toSorted(() => Math.random() - 0.5);
    const clients = [redis, redis.duplicate(), redis.duplicate()] as const;
    const outcomes = await Promise.allSettled(
      shuffled.map((token, index) =>
        guardedWrite(clients[index % 3] ?? redis, { fence, token }, [
          ['RPUSH', `${tag}:more`, `${token}`],
          set(`${token}`),
        ]),
      ),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(StaleTokenError);
    const written = (await redis.lrange(`${tag}:more`, 0, -1)).map(BigInt);
    expect(written).toHaveLength(holders.length - refusals.length);
    expect(written).toEqual(written.toSorted((a, b) => Number(a - b)));
    expect(await redis.get(value)).toBe(`${holders.at(-1)}`);
    for (const client of clients.slice(1)) client.disconnect();
  });

  test('by which a new holder reads shuts out what an older one writes late', async () => {
    await guardedWrite(redis, { fence, token: 5n }, [set('of the old holder')]);
    const read = await guardedWrite(redis, { fence, token: 6n }, [['GET', value]]);
    expect(read).toEqual(['of the old holder']);
    await expect(guardedWrite(redis, { fence, token: 5n }, [set('late')])).rejects.toThrow(StaleTokenError);
    expect(await redis.get(value)).toBe('of the old holder');
  });

  test('with a command that fails names it; what is before it stays, what is behind it does not run', async () => {
    await redis.set(`${tag}:more`, 'no hash');
    const broken = guardedWrite(redis, { fence, token: 5n }, [
      set('before'),
      ['HSET', `${tag}:more`, 'field', 'value'],
      set('behind'),
    ]);
    await expect(broken).rejects.toThrow(/^WRONGTYPE .*\(command 2 of 3, HSET\)$/);
    expect(await redis.mget(fence, value, `${tag}:more`)).toEqual(['5', 'before', 'no hash']);
  });

  test.each([
    ['there is not', ['NONSENSE', 'key'], /^(?:ERR )?[Uu]nknown .*\(command 1 of 1, NONSENSE\)$/],
    [
      'that lacks an argument',
      ['HSET', 'key', 'field'],
      /^(?:ERR )?[Ww]rong number .*\(command 1 of 1, HSET\)$/,
    ],
  ] as const)('with a command %s is refused', async (_what, [name, , ...more], message) => {
    await expect(guardedWrite(redis, { fence, token: 5n }, [[name, value, ...more]])).rejects.toThrow(
      message,
    );
  });

  test.each([
    ['a hash', () => redis.hset(fence, 'field', '1'), /^WRONGTYPE /],
    ['no number', () => redis.set(fence, 'x'), /^ERR a fencing token is a whole number as decimal text/],
    ['a number with zeros in front', () => redis.set(fence, '007'), /^ERR a fencing token is a whole number/],
    ['no whole number', () => redis.set(fence, '1.5'), /^ERR a fencing token is a whole number/],
    ['empty', () => redis.set(fence, ''), /^ERR a fencing token is a whole number/],
  ])('at a fence that is %s is refused, and writes nothing', async (_what, spoil, message) => {
    await spoil();
    await expect(guardedWrite(redis, { fence, token: 5n }, [set('new')])).rejects.toThrow(message);
    expect(await redis.exists(value)).toBe(0);
  });

  test('keeps to the prefix of its client', async () => {
    const prefixed = redis.duplicate({ keyPrefix: tag });
    await guardedWrite(prefixed, { fence: ':fence', token: 5n }, [['SET', ':value', 'five']]);
    expect(await redis.mget(fence, value)).toEqual(['5', 'five']);
    prefixed.disconnect();
  });

  test('takes 7000 values in one call', async () => {
    const values = Array.from({ length: 6998 }, (_value, index) => index);
    expect(await guardedWrite(redis, { fence, token: 1n }, [['RPUSH', `${tag}:more`, ...values]])).toEqual([
      6998,
    ]);
    const many = Array.from({ length: 3500 }, (): GuardedCommand => ['INCR', value]);
    expect((await guardedWrite(redis, { fence, token: 1n }, many)).at(-1)).toBe(3500);
  });
});

describe('a guarded write is refused before anything is sent', () => {
  const COMMANDS: GuardedCommand[] = [['SET', 'key', 'value']];
  // prettier-ignore
  const MISTAKES: readonly (readonly [string, unknown, unknown, RegExp])[] = [
    ['without a token', { fence: 'f', token: undefined }, COMMANDS, /token must be a bigint of at least 0n, such as handle\.token/],
    ['with a token that is a number', { fence: 'f', token: 5 }, COMMANDS, /token must be a bigint/],
    ['with a token that is a text', { fence: 'f', token: '5' }, COMMANDS, /token must be a bigint/],
    ['with a negative token', { fence: 'f', token: -1n }, COMMANDS, /token must be a bigint/],
    ['without a fence', { token: 5n }, COMMANDS, /fence must be a Redis key/],
    ['with an empty fence', { fence: '', token: 5n }, COMMANDS, /fence must be a Redis key/],
    ['without commands', { fence: 'f', token: 5n }, [], /must have at least one command/],
    ['without a list of commands', { fence: 'f', token: 5n }, 'SET key value', /must have at least one command/],
    ['with a command that is no list', { fence: 'f', token: 5n }, ['SET key value'], /command 1 must be an array/],
    ['with a command without a name', { fence: 'f', token: 5n }, [...COMMANDS, ['', 'key']], /command 2 must begin with its name/],
    ['with a command whose name is no text', { fence: 'f', token: 5n }, [[5, 'key']], /command 1 must begin/],
    ['with a command without a key', { fence: 'f', token: 5n }, [['SET']], /command 1, SET, must have its key/],
    ['with a command whose key is empty', { fence: 'f', token: 5n }, [['SET', '', 'x']], /command 1, SET, must have its key/],
    ['with a value that is nothing', { fence: 'f', token: 5n }, [['SET', 'k', null]], /command 1, SET, has a value that is not a string/],
    ['with a value that is no number', { fence: 'f', token: 5n }, [['SET', 'k', NaN]], /command 1, SET, has a value/],
    ['with more than 7000 values', { fence: 'f', token: 5n }, [['SADD', 'k', ...Array<string>(6999).fill('x')]], /more than 7000 values/],
  ];

  test.each(MISTAKES)('%s', async (_what, guard, commands, message) => {
    const client = { eval: vi.fn<() => Promise<unknown>>() };
    const write = guardedWrite(client, guard as Fence, commands as GuardedCommand[]);
    await expect(write).rejects.toMatchObject({ name: 'LockConfigurationError', code: 'INVALID_OPTION' });
    await expect(write).rejects.toThrow(message);
    expect(client.eval).not.toHaveBeenCalled();
  });
});

describe('the Lua function for scripts of one own', () => {
  const script = `${FENCE_LUA}
if fence(KEYS[1], ARGV[1]) == 0 then
  return redis.error_reply('STALE a newer token has passed')
end
return redis.call('APPEND', KEYS[2], ARGV[2])`;
  const append = (token: string, text: string) => redis.eval(script, 2, fence, value, token, text);

  test('lets equal and newer tokens pass, and refuses older ones', async () => {
    expect(await append('9', 'a')).toBe(1);
    expect(await append('9', 'b')).toBe(2);
    expect(await append(`${BIG + 1n}`, 'c')).toBe(3);
    await expect(append(`${BIG}`, 'd')).rejects.toThrow(/^STALE /);
    await expect(append('10', 'd')).rejects.toThrow(/^STALE /);
    expect(await redis.mget(fence, value)).toEqual([`${BIG + 1n}`, 'abc']);
  });

  test.each(['', 'x', '-1', '1.5', '007', ' 1', '1e3', 'nan'])(
    'raises an error for a token of "%s"',
    async (token) => {
      await expect(append(token, 'a')).rejects.toThrow(
        /ERR a fencing token is a whole number as decimal text/,
      );
      expect(await redis.exists(fence, value)).toBe(0);
    },
  );

  test('raises an error for a token that is a number, which may have lost digits', async () => {
    const numeric = `${FENCE_LUA} return fence(KEYS[1], tonumber(ARGV[1]))`;
    await expect(redis.eval(numeric, 1, fence, '5')).rejects.toThrow(/ERR a fencing token is a whole number/);
  });
});
