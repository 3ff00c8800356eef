import { beforeEach, describe, expect, test } from 'vitest';
import { BucketHeap } from './bucket.heap.js';

describe('the heap of buckets', () => {
  let heap: BucketHeap;
  beforeEach(() => {
    heap = new BucketHeap();
  });

  const drain = () => {
    const values: number[] = [];
    for (let value = heap.pop(); value !== undefined; value = heap.pop()) values.push(value);
    return values;
  };
  const fill = (values: readonly number[]) => values.forEach((value) => heap.push(value));
  const ascending = (values: readonly number[]) => values.toSorted((one, other) => one - other);

  test('gives nothing when it is empty', () => {
    expect([heap.first, heap.pop(), heap.size]).toEqual([undefined, undefined, 0]);
  });

  test.each([
    [[1]],
    [[2, 1]],
    [[1, 2, 3]],
    [[3, 2, 1]],
    [[2, 2, 1, 1]],
    [[5, -1, 0, 7.5, 5]],
    [Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1009)],
  ])('gives numbers in ascending order, doubles included (%#)', (values) => {
    fill(values);
    expect(heap.size).toBe(values.length);
    expect(heap.first).toBe(Math.min(...values));
    expect(drain()).toEqual(ascending(values));
  });

  test('keeps the least in front while numbers come and go', () => {
    let model: number[] = [];
    const [popped, expected]: [unknown[], unknown[]] = [[], []];
    for (let step = 0; step < 5000; step += 1) {
      if ((step * 31) % 7 < 4) {
        const value = (step * 7919) % 997;
        heap.push(value);
        model.push(value);
      } else {
        model = ascending(model);
        popped.push(heap.pop());
        expected.push(model.shift());
      }
    }
    expect(popped).toEqual(expected);
    expect(drain()).toEqual(ascending(model));
  });

  test('keeps only what it is rebuilt from', () => {
    fill([9, 1, 8, 2]);
    heap.rebuild([7, 3, 5]);
    expect(heap.size).toBe(3);
    expect(drain()).toEqual([3, 5, 7]);
  });

  test('is empty after it was cleared', () => {
    fill([3, 1, 2]);
    heap.clear();
    expect(heap.first).toBeUndefined();
    heap.push(4);
    expect(drain()).toEqual([4]);
  });
});
