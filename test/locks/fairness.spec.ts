import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { RedisFleet } from './lock.fleet.js';

const ROW = 4;
const TURNS = 40;

test('a process that never runs out of waiters yields after each series of hand-offs, and lets another one in', async () => {
  const fleet = await RedisFleet.open({ handOver: { max: ROW } });
  const end = new AbortController();
  let holds = 0;
  const busy = async () => {
    while (!end.signal.aborted)
      await fleet.one.getLock('x').using(() => {
        holds += 1;
      });
  };
  const row = [busy(), busy(), busy()];
  let outrun = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = holds;
    const handle = await fleet.other.getLock('x').lock({ waitTime: '5s' });
    outrun += holds - before;
    await handle.unlock();
    await sleep(2);
  }
  end.abort();
  await Promise.all(row);
  await fleet.close();
  // The row that is under way and the next one at most; a process that asks again at once wins thousands of times in between.
  expect(outrun).toBeLessThan(TURNS * 4 * ROW);
});

test('processes that never run out of waiters share a lock: none of them has it much more often than another', async () => {
  const fleet = await RedisFleet.open();
  const services = [fleet.one, fleet.other, await fleet.open(), await fleet.open()];
  const end = new AbortController();
  const holds = services.map(() => 0);
  const callers = services.flatMap((service, index) =>
    Array.from({ length: 5 }, async () => {
      while (!end.signal.aborted)
        await service.getLock('x').using(async () => {
          holds[index] = (holds[index] ?? 0) + 1;
          await sleep(1);
        });
    }),
  );
  await until('enough holds', () => Math.min(...holds) > 100, scaled(20_000));
  end.abort();
  await Promise.all(callers);
  await fleet.close();
  expect(Math.max(...holds) / Math.min(...holds), holds.join(', ')).toBeLessThan(2);
});
