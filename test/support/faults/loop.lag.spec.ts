import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { standStill } from '../stand.still.js';
import { LoopLag } from './loop.lag.js';

const lag = new LoopLag();
afterEach(() => lag.stop());

test('a process that stood still knows so before its timers do, and afterwards', async () => {
  // Its timer has been due once: from then on it is late by what the process stands still.
  await sleep(20);
  standStill(300);
  const before = lag.worst;
  expect(before).toBeGreaterThan(200);
  await sleep(20);
  expect(lag.worst).toBeGreaterThanOrEqual(before);
  expect(lag.total).toBeGreaterThan(200);
});
