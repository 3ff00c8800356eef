import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { standStill } from './stand.still.js';
import { Stopwatch } from './stopwatch.js';

test('a stopwatch leaves out the time in which its process stood still', async () => {
  // The timers of this file have been due once.
  await sleep(20);
  const watch = new Stopwatch();
  standStill(400);
  expect(watch.late).toBeGreaterThan(300);
  expect(watch.ms).toBeLessThan(100);
});

test('a stopwatch counts the time in which its process had nothing to do', async () => {
  const watch = new Stopwatch();
  await sleep(300);
  expect(watch.ms + watch.late).toBeGreaterThan(298);
  expect(watch.late).toBeLessThan(watch.ms + watch.late);
});
