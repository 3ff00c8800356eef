import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { readTemplate } from '../../libs/distributed-lock/src/connections/template.loader.js';
import { ClientLifecycle } from '../../libs/distributed-lock/src/redis/client.lifecycle.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { scaled } from '../support/slowness.js';
import { sourceOf } from '../support/topology/topology.source.js';

let lifecycle: ClientLifecycle;

beforeEach(async () => {
  const template = await readTemplate(sourceOf(inject('sentinel')));
  const wheel = new TimerWheel();
  lifecycle = new ClientLifecycle(template.open('commands', wheel), wheel, scaled(1000));
});
afterEach(async () => {
  await lifecycle.close();
});

// The news that there is another master may come at any time, also while the sentinels are being asked for it: then
// ioredis gives up for good.
test('a connection that is dropped while it queries the sentinels is made again', async () => {
  lifecycle.start();
  lifecycle.restart();
  await lifecycle.untilReady(scaled(5000));
  expect(lifecycle.isReady).toBe(true);
});

test('a connection that has ended by itself is made again, and one that was closed is not', async () => {
  await lifecycle.untilReady(scaled(5000));
  lifecycle.client.disconnect();
  await new Promise<void>((resolve) => lifecycle.client.once('end', resolve));
  await lifecycle.untilReady(scaled(5000));
  expect(lifecycle.isReady).toBe(true);
  await lifecycle.close();
  expect(lifecycle.isReady).toBe(false);
});
