import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { RedisFleet } from './lock.fleet.js';

const YEAR = 365 * 24 * 3_600_000;
const NO_DURATION = 'a number of milliseconds or a string like "30s"';

const DURATIONS: readonly (readonly [value: unknown, expected: string])[] = [
  ['5 parsecs', NO_DURATION],
  ['', NO_DURATION],
  ['soon', NO_DURATION],
  ['1s'.repeat(60), NO_DURATION],
  [NaN, NO_DURATION],
  [null, NO_DURATION],
  [true, NO_DURATION],
  [1000n, NO_DURATION],
  [new Date(), NO_DURATION],
  [{}, NO_DURATION],
  [[], NO_DURATION],
  [() => 1000, NO_DURATION],
  [Symbol('1s'), NO_DURATION],
  [Object.create(null), NO_DURATION],
  [10 * YEAR + 1, 'at most ten years'],
  ['11y', 'at most ten years'],
  [1e300, 'at most ten years'],
];

const LEASES: typeof DURATIONS = [
  ...DURATIONS,
  [0, 'at least 100 ms'],
  [99, 'at least 100 ms'],
  [99.4, 'at least 100 ms'],
  ['50ms', 'at least 100 ms'],
  [-1, 'at least 100 ms'],
  ['-1s', 'at least 100 ms'],
  [-Infinity, 'at least 100 ms'],
  [Infinity, 'at most ten years'],
];

const WAITS: typeof DURATIONS = [
  ...DURATIONS,
  [-1, 'at least 0 ms'],
  ['-1s', 'at least 0 ms'],
  [-Infinity, 'at least 0 ms'],
];

const OTHERS: readonly (readonly [option: string, value: unknown, expected: string])[] = [
  ['signal', new AbortController(), 'an AbortSignal'],
  ['signal', null, 'an AbortSignal'],
  ['signal', true, 'an AbortSignal'],
  ['signal', { aborted: false }, 'an AbortSignal'],
];

describe.each(['lock', 'tryLock', 'using'] as const)('an option of %s that cannot work', (door) => {
  let fleet: RedisFleet;
  beforeAll(async () => {
    fleet = await RedisFleet.open();
  });
  afterAll(() => fleet.close());

  /** The call is refused by a sentence that names the option and the lock, and leaves no trace. */
  async function expectRefusal(option: string, value: unknown, expected: string): Promise<void> {
    const lock = fleet.one.getLock('x');
    let ran = false;
    const work = () => {
      ran = true;
    };
    const options = { [option]: value };
    const error: unknown = await Reflect.apply(
      lock[door],
      lock,
      door === 'using' ? [work, options] : [options],
    ).then(
      () => 'it was granted',
      (problem: unknown) => problem,
    );
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', lock: 'x' });
    expect(String(error)).toContain(`${option} must be ${expected} for lock "x"`);
    expect(String(error)).toContain('nothing was sent to Redis');
    expect(ran).toBe(false);
    expect(await fleet.leftovers()).toEqual([]);
  }

  test.each(LEASES)('leaseTime %o is refused', (value, expected) =>
    expectRefusal('leaseTime', value, expected),
  );
  test.each(WAITS)('waitTime %o is refused', (value, expected) => expectRefusal('waitTime', value, expected));
  test.each(OTHERS)('%s %o is refused', expectRefusal);
});

describe('a call', () => {
  test.each([100, 100.4, '100ms', '100', '1 second', '2 minutes', '1h', 10 * YEAR] as const)(
    'takes leaseTime %o',
    async (leaseTime) => {
      const fleet = await RedisFleet.open();
      const handle = await fleet.one.getLock('x').tryLock({ leaseTime, waitTime: Infinity });
      expect(handle?.isHeld).toBe(true);
      await handle?.unlock();
      await fleet.close();
    },
  );

  test('takes undefined for a missing option', async () => {
    const fleet = await RedisFleet.open();
    const options = { leaseTime: undefined, waitTime: undefined, signal: undefined, onLost: undefined };
    expect(await fleet.one.getLock('x').using(() => 'ran', options)).toBe('ran');
    await fleet.close();
  });

  test('of using without a function is refused before the lock is taken', async () => {
    const fleet = await RedisFleet.open();
    const lock = fleet.one.getLock('x');
    await expect(Reflect.apply(lock.using, lock, [undefined])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      lock: 'x',
    });
    await fleet.close();
  });

  test.each(['explode', null, true, 1])('of using with onLost %o is refused', async (onLost) => {
    const fleet = await RedisFleet.open();
    const lock = fleet.one.getLock('x');
    let ran = false;
    const using = Reflect.apply(lock.using, lock, [() => (ran = true), { onLost }]);
    await expect(using).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      lock: 'x',
      message: expect.stringMatching(/^onLost must be "signal" or "throw" for lock "x"/),
    });
    expect(ran).toBe(false);
    await fleet.close();
  });
});
