import 'reflect-metadata';
import { expect, test } from 'vitest';
import { wrapMethod } from './method.wrapper.js';

const MARK = Symbol('mark');

function original(first: string, second: number): string {
  return first.repeat(second);
}

test('the wrapper has the name, the length, the properties and the metadata of the method', () => {
  Object.defineProperty(original, MARK, { value: 'kept', enumerable: false });
  Object.assign(original, { note: 'also kept' });
  const list = ['a'];
  Reflect.defineMetadata('list', list, original);
  Reflect.defineMetadata(MARK, 'metadata', original);
  const wrapper = wrapMethod(original, async (...args: unknown[]) => args);
  expect([wrapper.name, wrapper.length]).toEqual(['original', 2]);
  expect(Reflect.getOwnPropertyDescriptor(wrapper, MARK)).toMatchObject({ value: 'kept', enumerable: false });
  expect(Reflect.get(wrapper, 'note')).toBe('also kept');
  expect(Reflect.getMetadata('list', wrapper)).toBe(list);
  expect(Reflect.getMetadata(MARK, wrapper)).toBe('metadata');
});

test('what is set on the wrapper later stays its own', () => {
  const wrapper = wrapMethod(original, () => 'wrapped');
  Reflect.defineMetadata('late', 1, wrapper);
  expect(Reflect.getMetadata('late', wrapper)).toBe(1);
  expect(Reflect.getMetadata('late', original)).toBeUndefined();
  expect(wrapper()).toBe('wrapped');
});

test('the wrapper inherits what the method inherits: a wrapper of another library keeps its metadata there', () => {
  const outer = Object.setPrototypeOf(async (...args: unknown[]) => args, original);
  Reflect.defineMetadata('schedule', 'daily', original);
  Object.assign(original, { note: 'inherited' });
  const wrapper = wrapMethod(outer, async (...args: unknown[]) => args);
  expect(Reflect.getMetadata('schedule', wrapper)).toBe('daily');
  expect(Reflect.get(wrapper, 'note')).toBe('inherited');
  expect(Reflect.getOwnMetadataKeys(wrapper)).toEqual([]);
});

test('the wrapper of an ordinary method inherits from no function', () => {
  const wrapper = wrapMethod(original, async () => undefined);
  expect(Reflect.getPrototypeOf(wrapper)).toBe(Reflect.getPrototypeOf(async () => undefined));
});
