import { describe, expect, test } from 'vitest';
import { readKey } from './key.reader.js';

const read = (key: string, ...args: unknown[]) => readKey<readonly unknown[]>(key, 'Orders.place')(args);

describe('a template', () => {
  test.each([
    ['plain', [], 'plain'],
    ['{0}', ['a'], 'a'],
    ['{0}:{1}:{0}', ['a', 7], 'a:7:a'],
    ['order:{0.id}', [{ id: 5n }], 'order:5'],
    ['{1.user.address.0}', [undefined, { user: { address: ['here'] } }], 'here'],
    ['{0.length}', ['four'], '4'],
    ['on:{0}', [false], 'on:false'],
    ['{0}', ['{1}', 'not again'], '{1}'],
    ['{0}', ["$&$'"], "$&$'"],
    ['{orders}:{0}', ['a'], '{orders}:a'],
    ['{}:{a.b}', [], '{}:{a.b}'],
  ])('%s is filled from its arguments: %#', (key, args, name) => {
    expect(read(key, ...args)).toBe(name);
  });

  test.each([
    ['{0}', [], 'undefined'],
    ['{0}', [null], 'null'],
    ['{0.id}', [undefined], 'undefined'],
    ['{0.id}', [{}], 'undefined'],
    ['{0.a.b}', [{ a: null }], 'null'],
    ['{0}', [{ id: 1 }], 'object'],
    ['{0}', [['a']], 'object'],
    ['{0}', [new Date(0)], 'object'],
    ['{0}', [Number.NaN], 'NaN'],
    ['{0}', [Symbol('s')], 'symbol'],
    ['{0.toString}', ['text'], 'function'],
  ])('%s cannot be filled: %#', (key, args, found) => {
    expect(() => read(key, ...args)).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        lock: key,
        message: expect.stringContaining(`of Orders.place cannot be filled: ${key} is ${found}`),
      }),
    );
  });

  test.each(['{0', '{0.}', '{0..id}', '{0-id}', 'a{1 }', '{0.{1}}'])(
    '%s is broken, and is refused before any call',
    (key) => {
      expect(() => readKey(key, 'Orders.place')).toThrow(
        /^The key ".*" of Orders\.place contains ".*": write \{0\} or \{0\.path\.to\}\./,
      );
    },
  );

  test('an empty one is refused before any call', () => {
    expect(() => readKey('', 'Orders.place')).toThrow(
      /^The key of Orders\.place must be a name, an array of names, or a function, not an empty string\./,
    );
  });

  test('that is filled with nothing is refused', () => {
    expect(() => read('{0}', '')).toThrow(/^The key of Orders\.place resulted in an empty string; /);
  });
});

describe('an array', () => {
  const readAll = (key: readonly string[], ...args: unknown[]) =>
    readKey<readonly unknown[]>(key, 'Orders.place')(args);

  test('is filled one by one', () => {
    expect(readAll(['account:{0}', 'account:{1}', 'ledger'], 'a', 'b')).toEqual([
      'account:a',
      'account:b',
      'ledger',
    ]);
  });

  test.each([
    [
      ['account:{0}', 'account:{1}', 'ledger'],
      ['a', 'a'],
      ['account:a', 'ledger'],
    ],
    [['account:{0}', 'account:{1}'], ['a', 'a'], 'account:a'],
    [['ledger'], [], 'ledger'],
  ])('of %j counts each name once, and one alone is a name: %j', (key, args, names) => {
    expect(readAll(key, ...args)).toEqual(names);
  });

  test('is read when the method is decorated', () => {
    const key = ['a', 'b'];
    const names = readKey(key, 'Orders.place');
    key.push('c');
    expect(names([])).toEqual(['a', 'b']);
  });

  test.each([
    [[], 'must be a name, an array of names, or a function, not an empty array.'],
    [
      ['a', ''],
      'must be a name, an array of names, or a function, not an array with an empty string at [1].',
    ],
    [['a', '{0'], 'contains "{0": write {0} or {0.path.to}.'],
  ])('%j is refused before any call', (key, said) => {
    expect(() => readKey(key, 'Orders.place')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(said) }),
    );
  });

  test('with a template that cannot be filled is refused', () => {
    expect(() => readAll(['ledger', '{0}'], null)).toThrow(
      /^The key "\{0\}" of Orders\.place cannot be filled: \{0\} is null/,
    );
  });
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [7, 'number'],
  [{ 0: 'a', length: 1 }, 'object'],
  [['a', 7], 'an array with number at [1]'],
  [[() => 'a'], 'an array with function at [0]'],
  [Array.from({ length: 1 }), 'an array with undefined at [0]'],
])('what is no key at all is refused before any call: %#', (key, found) => {
  const untyped: () => string = Reflect.get(Object({ key }), 'key');
  expect(() => readKey(untyped, 'Orders.place')).toThrow(
    `The key of Orders.place must be a name, an array of names, or a function, not ${found}.`,
  );
});

describe('a function', () => {
  test('gets the arguments', () => {
    expect(readKey((id: string, line: number) => `${id}:${line}`, 'Orders.place')(['a', 7])).toBe('a:7');
  });

  test('may give several names, each of which counts once', () => {
    const names = readKey((...ids: string[]) => ids, 'Orders.place');
    expect(names(['b', 'a', 'b'])).toEqual(['b', 'a']);
    expect(names(['b', 'b'])).toBe('b');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['number', 5],
    ['object', Promise.resolve('late')],
    ['an empty string', ''],
    ['an empty array', []],
    ['an array with null at [1]', ['a', null]],
    ['an array with object at [0]', [['a']]],
  ])('that gives %s instead of names is refused', (found, value) => {
    const key: () => string = () => Reflect.get(Object({ value }), 'value');
    expect(() => readKey(key, 'Orders.place')([])).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.stringContaining(
          `The key function of Orders.place returned ${found}; a key is a name, or an array of names.`,
        ),
      }),
    );
  });
});
