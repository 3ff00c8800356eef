import { expect, test } from 'vitest';
import { slotOf } from './key.slot.js';

test.each([
  ['123456789', 12_739],
  ['foo', 12_182],
  ['user1000', 3443],
  ['{user1000}.following', 3443],
  ['foo{}{bar}', 8363],
  ['foo{{bar}}zap', 4015],
  ['schlüssel', 7677],
  ['{bücher}:1', 7410],
  ['', 0],
])('the slot of %j is that of Redis Cluster', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});
