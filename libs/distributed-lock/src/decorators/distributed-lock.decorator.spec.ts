import { describe, expect, test } from 'vitest';
import { readGuards } from '../metadata/guard.registry.js';
import { DistributedLock } from './distributed-lock.decorator.js';
import type { DistributedLockOptions } from './guard.types.js';

/** As JavaScript applies it. */
function apply(target: object, key: unknown, descriptor: unknown, options: object = {}): void {
  Reflect.apply(DistributedLock('name', options as DistributedLockOptions), undefined, [
    target,
    key,
    descriptor,
  ]);
}

class Orders {
  static fixed() {}
  get total() {
    return 1;
  }
  async place(_id: string) {}
}

const place = () => Object.getOwnPropertyDescriptor(Orders.prototype, 'place');

describe('a place that cannot be guarded is refused at once', () => {
  test.each([
    [
      'a static method',
      Orders,
      'fixed',
      Object.getOwnPropertyDescriptor(Orders, 'fixed'),
      'Orders.fixed: the target is a static member',
    ],
    [
      'an accessor',
      Orders.prototype,
      'total',
      Object.getOwnPropertyDescriptor(Orders.prototype, 'total'),
      'Orders.total: the target is an accessor',
    ],
    [
      'a property',
      Orders.prototype,
      'items',
      undefined,
      'Orders.items: the target is a class, a property or a parameter',
    ],
    ['a class', Orders, undefined, undefined, 'Orders: the target is a class, a property or a parameter'],
    [
      'a value',
      Orders.prototype,
      'size',
      { value: 5 },
      'Orders.size: the target is a value without a function',
    ],
  ])('%s', (_, target, key, descriptor, said) => {
    expect(() => apply(target, key, descriptor)).toThrow(
      expect.objectContaining({
        code: 'INVALID_TARGET',
        message: expect.stringContaining(`@DistributedLock on ${said}`),
      }),
    );
  });

  test('a decorator call of the other standard', () => {
    expect(() => apply(Orders.prototype.place, { kind: 'method', name: 'place' }, undefined)).toThrow(
      /experimentalDecorators", .* Set experimentalDecorators: true in tsconfig\.json\.$/,
    );
  });
});

describe('an option that cannot work is refused at once', () => {
  test.each([
    ['waitTime', -1, 'at least 0 ms'],
    ['waitTime', 'soon', 'a number of milliseconds'],
    ['leaseTime', 99, 'at least 100 ms'],
    ['leaseTime', Infinity, 'at most ten years'],
    ['onBusy', 'wait', '"throw", "skip" or a function'],
    ['kind', 'spin', 'one of "reentrant", "fair", "read", "write", "fenced", not "spin"'],
    ['kind', 'toString', 'one of'],
    ['kind', ['read'], 'one of'],
    ['kind', null, 'one of'],
    ['onLost', 'ignore', '"signal" or "throw"'],
    ['service', '', 'the name of a module instance'],
    ['grace', 'x', 'a number of milliseconds'],
    ['maxHold', -5, 'at least'],
    ['maxHold', 0, 'at least'],
    ['minInterval', {}, 'a number of milliseconds'],
    ['catchUp', -1, 'at least'],
    ['overlap', 'retry', '"skip" or "queue"'],
    ['onCrash', 'queue', '"skip" or "retry"'],
    ['shared', 'yes', 'true or false'],
  ])('%s: %j', (option, value, said) => {
    expect(() => apply(Orders.prototype, 'place', place(), { [option]: value })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`${option} of Orders.place must be ${said}`),
      }),
    );
  });
});

describe('what the explorers read', () => {
  class Base {
    @DistributedLock('base', { shared: true })
    async run() {}

    @DistributedLock('{0}')
    async keyed(_id: string) {}
  }

  class Derived extends Base {
    override async run() {}

    @DistributedLock('outer')
    @DistributedLock('inner')
    async twice() {}
  }

  test('a guard has its key, its options and its names for a call', () => {
    const [run, keyed] = readGuards(Base.prototype);
    expect(run).toMatchObject({
      methodKey: 'run',
      key: 'base',
      options: { shared: true },
      returns: 'promise',
      where: 'Base.run',
    });
    expect(run?.namesOf([])).toBe('base');
    expect(keyed?.namesOf(['a'])).toBe('a');
    expect(() => keyed?.namesOf([])).toThrow(/cannot be filled/);
  });

  test('inherited guards count, overridden ones do not, and the outer of two comes last', () => {
    expect(readGuards(Derived.prototype).map(({ key }) => key)).toEqual(['inner', 'outer', '{0}']);
  });
});
