import { afterEach, beforeEach, expect, test } from 'vitest';
import { Services } from '../support/services.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(async () => {
  await services.close();
});

test('locks and unlocks', async () => {
  const a = await services.open();
  const b = await services.open();
  const h = await a.getLock('x').lock();
  expect(h.isHeld).toBe(true);
  expect(await b.getLock('x').tryLock()).toBeNull();
  const wait = b.getLock('x').lock();
  const wait2 = b.getLock('x').lock();
  const wait3 = a.getLock('x').lock();
  await new Promise((r) => setTimeout(r, 100));
  expect(await h.unlock()).toBe('released');
  const hb = await wait3;
  expect(await hb.unlock()).toBe('released');
  expect(await (await wait).unlock()).toBe('released');
  expect(await (await wait2).unlock()).toBe('released');
  expect(await services.keys()).toEqual([]);
  await new Promise((r) => setTimeout(r, 20));
  expect(await services.channels()).toEqual([]);
  expect(a.engine.lines.size).toBe(0);
});

test('1000 local waiters', async () => {
  const a = await services.open();
  const h = await a.getLock('x').lock();
  const order: number[] = [];
  const all = Array.from({ length: 1000 }, (_, i) =>
    a.getLock('x').using(() => {
      order.push(i);
    }),
  );
  await h.unlock();
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  expect(await services.keys()).toEqual([]);
});

test('nested', async () => {
  const a = await services.open();
  await a.getLock('x').using(async () => {
    const [p, q] = await Promise.all([a.getLock('x').lock(), a.getLock('x').lock()]);
    expect(await a.getLock('x').getHoldCount()).toBe(3);
    expect(await p!.unlock()).toBe('kept');
    expect(await q!.unlock()).toBe('kept');
    expect(await a.getLock('x').getHoldCount()).toBe(1);
  });
  expect(await a.getLock('x').isLocked()).toBe(false);
});
