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
        /^The key ".*" of Orders\.place has ".*": write \{0\} or \{0\.path\.to\}\./,
      );
    },
  );

  test('an empty one is refused before any call', () => {
    expect(() => readKey('', 'Orders.place')).toThrow(
      /^The key of Orders\.place must be text or a function\./,
    );
  });
});

describe('a function', () => {
  test('gets the arguments', () => {
    expect(readKey((id: string, line: number) => `${id}:${line}`, 'Orders.place')(['a', 7])).toBe('a:7');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['number', 5],
    ['object', Promise.resolve('late')],
  ])('that gives %s instead of text is refused', (found, value) => {
    const key: () => string = () => Reflect.get(Object({ value }), 'value');
    expect(() => readKey(key, 'Orders.place')([])).toThrow(
      `The key function of Orders.place gave ${found}, not text.`,
    );
  });
});
