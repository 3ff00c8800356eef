import { describe, expect, test } from 'vitest';
import type { LockModuleSettings } from '../contracts/module.options.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { readSettings } from './settings.reader.js';

const read = (options: unknown) => Reflect.apply(readSettings, undefined, [options]);
const DURATION = 'a number of milliseconds or a string like "30s"';

/** Options with one bad value each: a path, values, and what the error says that it must be. */
const BAD: readonly (readonly [path: string, values: readonly unknown[], expected: string])[] = [
  ['lockWatchdogTimeout', ['5 parsecs', NaN, {}, true, [], ''], DURATION],
  ['lockWatchdogTimeout', [299, '0.2s', 0, -1], 'at least 300 ms'],
  ['lockWatchdogTimeout', [Infinity, '11y'], 'at most ten years'],
  ['waitTime.lock', ['soon', NaN, {}], DURATION],
  ['waitTime.tryLock', [-1, '-5s', -Infinity], 'at least 0 ms'],
  ['waitTime.using', ['11y', 1e15], 'at most ten years'],
  ['waitTime.decorator', ['soon', -1], ''],
  ['waitTime.interceptor', ['soon', -1], ''],
  ['maxHold', ['soon', NaN], DURATION],
  ['maxHold', [0, -1, '0s'], 'at least 1 ms'],
  ['warnAfter', ['soon', NaN], DURATION],
  ['warnAfter', [0, -1], 'at least 1 ms'],
  ['maxWaiters', [0, -1, 1.5, NaN, Infinity, '5', true], 'a whole number of at least 1'],
  ['handOver.max', [-1, 0.5, NaN, Infinity, '5'], 'a whole number of at least 0'],
  ['handOver.time', ['soon', -1], ''],
  ['handOver.time', [Infinity], 'at most ten years'],
  ['commandTimeout', ['soon', NaN], DURATION],
  ['commandTimeout', [49, 0, -1], 'at least 50 ms'],
  ['commandTimeout', [Infinity], 'at most ten years'],
  ['shutdownTimeout', ['soon', -1, Infinity], ''],
  ['serverCheck', ['no', 0, {}], 'true or false'],
  ['instanceInfo', ['no', 0, {}], 'true or false'],
  ['retryAfter', ['soon', -1, Infinity], ''],
  ['busyStatus', [200, 500, '423', NaN, 423.5], 'one of 423, 409, 429, 503'],
  ['namePrefix', [7, {}, 'nul\0', ['a']], 'a string without NUL'],
  ['nameMapper', ['lock:', 7, {}], 'a function'],
  ['appName', ['', 7, {}], 'a non-empty string'],
  ['waitTime', ['5s', 5000, true], 'an object, with a duration for each way to acquire a lock'],
  ['handOver', [64, 'never', false], 'an object'],
];

const CASES = BAD.flatMap(([path, values, expected]) =>
  values.map((value) => [path, value, expected] as const),
);

describe('the options of the module', () => {
  test('have the documented defaults', () => {
    const { mapName, appName, ...settings } = readSettings({});
    expect(settings).toEqual({
      namePrefix: 'lock:',
      isMapped: false,
      instanceInfo: true,
      watchdogTimeout: 30_000,
      fairWaitTimeout: 300_000,
      redLockRestartDelay: 30_000,
      waitTime: { lock: Infinity, tryLock: 0, using: Infinity, decorator: 0, interceptor: 0 },
      maxHold: Infinity,
      tickMaxHold: 3_600_000,
      warnAfter: Infinity,
      selfWaitAfter: 10_000,
      maxWaiters: 10_000,
      handOver: { max: 4096, time: 15 },
      commandTimeout: 1000,
      pubsub: 'auto',
      serverCheck: true,
      shutdownTimeout: 10_000,
      busyStatus: 423,
      retryAfter: 1,
    });
    expect(mapName('x')).toBe('lock:x');
    expect(appName).toBe('nestjs-distributed-lock');
  });

  test('are read as they are given', () => {
    const options: LockModuleSettings = {
      lockWatchdogTimeout: '2s',
      waitTime: { lock: '1s', tryLock: 2000, using: 0, decorator: '3s', interceptor: Infinity },
      namePrefix: '',
      appName: 'billing',
      maxHold: '1m',
      warnAfter: '5s',
      maxWaiters: 1,
      handOver: { max: 0, time: 0 },
      commandTimeout: 50,
      pubsub: 'classic',
      serverCheck: false,
      instanceInfo: false,
      shutdownTimeout: 0,
      busyStatus: 409,
      retryAfter: '1500ms',
    };
    const { mapName, ...settings } = readSettings(options);
    expect(settings).toEqual({
      namePrefix: '',
      isMapped: false,
      instanceInfo: false,
      watchdogTimeout: 2000,
      fairWaitTimeout: 300_000,
      redLockRestartDelay: 2000,
      waitTime: { lock: 1000, tryLock: 2000, using: 0, decorator: 3000, interceptor: Infinity },
      appName: 'billing',
      maxHold: 60_000,
      tickMaxHold: 60_000,
      warnAfter: 5000,
      selfWaitAfter: Infinity,
      maxWaiters: 1,
      handOver: { max: 0, time: 0 },
      commandTimeout: 50,
      pubsub: 'classic',
      serverCheck: false,
      shutdownTimeout: 0,
      busyStatus: 409,
      retryAfter: 2,
    });
    expect(mapName('x')).toBe('x');
  });

  test('may say that there is no bound', () => {
    expect(readSettings({ maxHold: Infinity, warnAfter: Infinity })).toMatchObject({
      maxHold: Infinity,
      warnAfter: Infinity,
    });
  });

  test.each(CASES)('are refused by a sentence for %s: %o', (path, value, expected) => {
    const [option = '', inner] = path.split('.');
    const refuse = () => read({ [option]: inner === undefined ? value : { [inner]: value } });
    expect(refuse).toThrow(
      expect.objectContaining({ name: 'LockConfigurationError', code: 'INVALID_OPTION' }),
    );
    expect(refuse).toThrow(`${path} must be ${expected}`);
  });

  test.each([undefined, null, 'redis://localhost', 7])('are refused when they are %j', (options) => {
    expect(() => read(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('are refused when namePrefix and nameMapper are both given', () => {
    const refuse = () => read({ namePrefix: 'a:', nameMapper: (name: string) => name });
    expect(refuse).toThrow('namePrefix and nameMapper cannot be used together');
  });

  test.each([undefined, null, '', 'nul\0', 7, {}])('refuse a name that nameMapper made %j of', (mapped) => {
    const { mapName } = read({ nameMapper: () => mapped });
    expect(() => mapName('x')).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        lock: 'x',
        message: expect.stringContaining('nameMapper'),
      }),
    );
  });
});

describe('the option replication', () => {
  test('is off by default', () => {
    expect(readSettings({}).replication).toBeUndefined();
  });

  test.each([
    [{ acks: 1 }, {}, { acks: 1, timeout: 300 }],
    [{ acks: 'majority', timeout: '200ms' }, {}, { acks: 'majority', timeout: 200 }],
    [{ acks: 2 }, { commandTimeout: 600 }, { acks: 2, timeout: 200 }],
    [{ acks: 2, timeout: '1s' }, { commandTimeout: '3s' }, { acks: 2, timeout: 1000 }],
  ] as const)('%j with %j is %j', (replication, options, expected) => {
    expect(readSettings({ ...options, replication }).replication).toEqual(expected);
  });

  test.each([0, -1, 1.5, NaN, Infinity, '1', 'all', undefined, null])('acks must not be %s', (acks) => {
    const replication = { acks } as never;
    expect(() => readSettings({ replication })).toThrow(
      'replication.acks must be a whole number of at least 1',
    );
  });

  test.each([true, 'majority', 1, null])('must not be %j', (replication) => {
    expect(() => readSettings({ replication: replication as never })).toThrow(
      'replication must be an object like { acks: 1 }',
    );
  });

  test('the timeout is at least 10 ms, and fits three times into commandTimeout', () => {
    expect(() => readSettings({ replication: { acks: 1, timeout: 9 } })).toThrow('at least 10 ms');
    const tooLong = () => readSettings({ replication: { acks: 1, timeout: 500 } });
    expect(tooLong).toThrow(LockConfigurationError);
    expect(tooLong).toThrow('lower it, or raise commandTimeout to 1500 ms');
  });
});
