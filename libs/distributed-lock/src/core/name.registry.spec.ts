import { expect, test } from 'vitest';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockKind } from './lock.kind.js';
import { NameRegistry } from './name.registry.js';

const kindOf = (family: string, side?: 'read' | 'write'): LockKind => ({
  ...Object.create(null),
  family,
  side,
});
const LOCK = kindOf('lock');
const plain = () => new NameRegistry({ mapName: (name) => `lock:${name}`, isMapped: false });

test('a name is checked once, and its lock found again', () => {
  const book = plain();
  const target = book.target(LOCK, 'x');
  expect(target).toMatchObject({ name: 'x', key: 'lock:x', kind: LOCK });
  expect(book.target(LOCK, 'x')).toBe(target);
});

test('the two sides of a lock are two, in whichever order they are requested', () => {
  const book = plain();
  const [reading, writing] = [kindOf('rw', 'read'), kindOf('rw', 'write')];
  const sides = [reading, writing, reading].map((kind) => book.target(kind, 'x').id);
  expect(sides).toEqual(['lock:x\0read', 'lock:x\0write', 'lock:x\0read']);
});

test('a second family on one name is refused, whichever of the two ways it comes', () => {
  const book = plain();
  book.target(LOCK, 'x');
  book.keyOf('y', 'semaphore');
  expect(() => book.target(kindOf('fair'), 'x')).toThrow('"x" is a lock in this application');
  expect(() => book.keyOf('x', 'semaphore')).toThrow(LockConfigurationError);
  expect(() => book.target(LOCK, 'y')).toThrow('"y" is a semaphore in this application');
});

test('a name that is only looked at is not in use, and its kind is checked', () => {
  const book = plain();
  expect(book.keyToRead('x', 'lock')).toBe('lock:x');
  expect(book.keyOf('x', 'semaphore')).toBe('lock:x');
  expect(() => book.keyToRead('x', 'lock')).toThrow('"x" is a semaphore in this application');
  expect(() => book.keyToRead('', 'lock')).toThrow(LockConfigurationError);
});

test('the name mapper of an application is called each time, and a key has one kind only', () => {
  let tenant = 'a';
  const book = new NameRegistry({ mapName: (name) => `${tenant}:${name}`, isMapped: true });
  expect(book.target(LOCK, 'x').key).toBe('a:x');
  tenant = 'b';
  expect(book.target(LOCK, 'x').key).toBe('b:x');
  expect(book.keyOf('y', 'semaphore')).toBe('b:y');
  tenant = 'a';
  expect(book.target(LOCK, 'y').key).toBe('a:y');
  tenant = 'b';
  expect(() => book.target(LOCK, 'y')).toThrow('is a semaphore');
});

test('a name that is in use is never forgotten, and others are', () => {
  const book = plain();
  book.keyOf('in use', 'semaphore');
  book.keyOf('once', 'semaphore');
  for (let index = 0; index < 20_000; index += 1) {
    book.target(LOCK, `order:${index}`);
    if (index % 1000 === 0) book.keyOf('in use', 'semaphore');
  }
  expect(() => book.target(LOCK, 'in use')).toThrow('is a semaphore');
  expect(book.target(LOCK, 'once').key).toBe('lock:once');
});
