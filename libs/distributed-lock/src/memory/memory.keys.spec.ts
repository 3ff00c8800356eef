import { expect, test } from 'vitest';
import { now } from '../timing/monotonic.clock.js';
import { MemoryKeys } from './memory.keys.js';

/** Lets the clock go on by whole ms, in this turn. */
function pass(ms: number): void {
  for (const end = now() + ms; now() < end;);
}

test('a script sees one instant: what it has found does not expire before it ends', () => {
  const keys = new MemoryKeys();
  keys.open('lock', 'hash').set('holder', '1');
  keys.expire('lock', 5);
  keys.atOneInstant(() => {
    const before = keys.ttl('lock');
    pass(8);
    expect(before).toBeGreaterThan(0);
    expect([keys.ttl('lock'), keys.typeOf('lock')]).toEqual([before, 'hash']);
  });
  expect([keys.ttl('lock'), keys.names()]).toEqual([-2, []]);
});
