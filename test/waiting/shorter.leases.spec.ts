import { describe, expect, test } from 'vitest';
import { BOUND, play, SHORT } from './shorter.stage.js';
import { WAYS } from './shorter.ways.js';

describe('a lock is not free for longer than 100 ms while a live instance waits for it', () => {
  test.each(WAYS.map((way) => [way.what, way] as const))('after %s', async (_what, way) => {
    const { free, waited } = await play(way);
    expect(free).toBeLessThanOrEqual(BOUND);
    expect(waited).toBeLessThanOrEqual((way.left ?? SHORT) + BOUND);
  });
});
