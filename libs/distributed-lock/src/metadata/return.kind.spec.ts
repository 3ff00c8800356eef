import 'reflect-metadata';
import { BehaviorSubject, Observable } from 'rxjs';
import { expect, test } from 'vitest';
import { readReturnKind } from './return.kind.js';

/** Makes the compiler note the types. */
function noted(_target: object, _key: string): void {}

class Chained extends Promise<void> {}

class Sample {
  @noted async asyncMethod() {}
  @noted promise(): Promise<void> {
    return Promise.resolve();
  }
  @noted chained(): Chained {
    return Promise.resolve();
  }
  @noted observable(): Observable<number> {
    return new Observable();
  }
  @noted subject(): BehaviorSubject<number> {
    return new BehaviorSubject(1);
  }
  @noted text(): string {
    return '';
  }
  @noted list(): number[] {
    return [];
  }
  @noted date(): Date {
    return new Date();
  }
  @noted undeclared() {
    return 1;
  }
  @noted nothing(): void {}
  @noted union(): Promise<void> | string {
    return '';
  }
  @noted *generator() {
    yield 1;
  }
  @noted async *asyncGenerator() {
    yield 1;
  }
}

test.each([
  ['asyncMethod', 'promise'],
  ['promise', 'promise'],
  ['chained', 'promise'],
  ['observable', 'observable'],
  ['subject', 'observable'],
  ['text', 'sync'],
  ['list', 'sync'],
  ['date', 'sync'],
  ['generator', 'sync'],
  ['asyncGenerator', 'sync'],
  ['undeclared', 'unknown'],
  ['nothing', 'unknown'],
  ['union', 'unknown'],
] as const)('%s is known as %s', (key, kind) => {
  expect(readReturnKind(Sample.prototype, key, Sample.prototype[key])).toBe(kind);
});
