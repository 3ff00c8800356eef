import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callRecord } from '../scripts/call.scripts.js';
import {
  latchChannel,
  lockChannel,
  prefixName,
  readWriteChannel,
  semaphoreChannel,
  suffixName,
} from '../scripts/wire.names.js';
import { checkKey, checkName } from './name.checks.js';

const CLIENT = '6e38a1f0-0000-4000-8000-000000000001';
const HOLDERS = [`${CLIENT}:1`, `${CLIENT}:12`];

/** Every key and channel that any kind has for the name `key`, Redisson's latches included. */
function placesOf(key: string): ReadonlySet<string> {
  const suffixes = ['fair_waits', 'fair_alive', 'write_intent', 'waiting', 'timeout', 'tick', 'runs'];
  const prefixes = ['redisson_lock_queue', 'redisson_lock_timeout', 'redisson_lock_token'];
  const latch = prefixName('redisson_unlock_latch', key);
  const keys = [
    key,
    ...suffixes.map((suffix) => suffixName(key, suffix)),
    ...prefixes.map((prefix) => prefixName(prefix, key)),
    ...HOLDERS.flatMap((holder) => [
      suffixName(key, `${holder}:rwlock_timeout:1`),
      callRecord(key, holder),
      `${latch}:0123456789abcdef0123456789abcdef`,
    ]),
  ];
  const channels = [
    lockChannel(key),
    readWriteChannel(key),
    semaphoreChannel(key),
    latchChannel(key),
    prefixName('lock_job__channel', key),
    ...HOLDERS.map((holder) => `${lockChannel(key)}:${holder}`),
  ];
  return new Set([...keys.map((each) => `key ${each}`), ...channels.map((each) => `channel ${each}`)]);
}

function isAccepted(key: string): boolean {
  try {
    checkName('any');
    checkKey(key, key);
    return true;
  } catch {
    return false;
  }
}

const PIECES = ['a', 'b', '{', '}', ':', '{a}', '\n', ' ', 'tick', 'timeout', 'call', 'rwlock_timeout', '1'];
const BEGINNINGS = ['', '', 'lock:', '{app}:', 'redisson_lock_queue:', 'redisson_lock__channel:'];
const name = fc
  .tuple(
    fc.constantFrom(...BEGINNINGS),
    fc.array(fc.constantFrom(...PIECES, ...HOLDERS), { minLength: 1, maxLength: 5 }),
  )
  .map(([beginning, pieces]) => beginning + pieces.join(''));

/** Two names, of which the second often is what stands beside the first: that is what an attacker would try. */
const pair = name.chain((first) => {
  const beside = [...placesOf(first)].map((place) => place.replace(/^\w+ /, ''));
  return fc.tuple(fc.constant(first), fc.oneof(name, fc.constantFrom(...beside)));
});

describe('names of locks', () => {
  test('that are accepted have no key and no channel in common, whatever kinds they are used with', () => {
    let refused = 0;
    fc.assert(
      fc.property(pair, ([first, second]) => {
        if (first === second) return;
        const places = placesOf(first);
        const shared = [...placesOf(second)].filter((place) => places.has(place));
        const isRefused = !isAccepted(first) || !isAccepted(second);
        if (isRefused && shared.length > 0) refused += 1;
        expect(isRefused ? [] : shared).toEqual([]);
      }),
      { numRuns: 5000 },
    );
    // Without the checks these would have been at each other's keys: the names are made well.
    expect(refused).toBeGreaterThan(100);
  });

  test.each([
    'a',
    'orders:tick',
    'user:timeout',
    '{t}:n',
    'lock:{t}:n',
    'lock:{t}',
    '{t}{u}',
    '{t}:timeouts',
    'x}y',
    'a{b',
    'a{}b',
    ':',
    'line\nbreak\r\n* ? [x] \\',
    'größe 🔒 \ufffd',
    `user:${CLIENT}:7`,
    'n'.repeat(1024),
  ])('%j is one', (key) => {
    checkName(key);
    expect(() => checkKey(key, key)).not.toThrow();
  });

  test.each([
    ['{a}b:tick', 'ends with ":tick"'],
    ['lock:{a}:runs', 'ends with ":runs"'],
    ['{a}:fair_waits', 'ends with ":fair_waits"'],
    ['{a}:fair_alive', 'ends with ":fair_alive"'],
    ['{a}:write_intent', 'ends with ":write_intent"'],
    ['{a}:timeout', 'ends with ":timeout"'],
    [`{a}:call:${CLIENT}:7`, `ends with ":${CLIENT}:7"`],
    [`lock:{a}:${CLIENT}:7`, `ends with ":${CLIENT}:7"`],
    [`{a}:${CLIENT}:7:rwlock_timeout:1`, 'ends with ":rwlock_timeout:1"'],
    ['redisson_lock_queue:{a}', 'begins with "redisson_lock_queue:"'],
    ['redisson_lock_timeout:{a}', 'begins with "redisson_lock_timeout:"'],
    ['redisson_lock_token:a', 'begins with "redisson_lock_token:"'],
    ['redisson_unlock_latch:{a}:0', 'begins with "redisson_unlock_latch:"'],
    ['{a}', 'without the braces'],
    ['{a\n}', 'without the braces'],
    ['half \ud800 pair', 'a lone surrogate'],
    ['nul\0', 'NUL'],
  ])('the key %j is refused: it %s', (key, why) => {
    expect(() => checkKey('x', key)).toThrow(
      expect.objectContaining({
        name: 'LockConfigurationError',
        code: 'INVALID_NAME',
        lock: 'x',
        message: expect.stringContaining(why),
      }),
    );
  });

  test.each([
    '',
    'n'.repeat(1025),
    'n'.repeat(10_240),
    'nul\0',
    '\udc00\ud800',
    7,
    null,
    undefined,
    {},
    ['a'],
    Symbol('x'),
  ])('are no other things (%#)', (given) => {
    expect(() => checkName(given)).toThrow(
      expect.objectContaining({ code: 'INVALID_NAME', lock: undefined }),
    );
  });
});
