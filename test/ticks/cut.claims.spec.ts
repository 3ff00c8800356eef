import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { Services } from '../support/services.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';

let proxy: TcpProxy;
let services: Services;
beforeEach(async () => {
  proxy = await TcpProxy.open(Number(new URL(inject('redisUrl')).port));
  services = new Services();
});
afterEach(async () => {
  await services.close();
  await proxy.close();
});

/** Cuts the connection once, when Redis has run a script that was called with that argument. */
function cutAfter(argument: string): void {
  let isDone = false;
  proxy.judge(({ words }) => {
    if (!words.includes(argument)) return 'pass';
    return {
      answered: (reply) => {
        if (isDone || !Array.isArray(reply)) return 'pass';
        isDone = true;
        return 'cut';
      },
    };
  });
}

test.each([
  ['claim', 'runs the tick once', 'instant'],
  ['finish', 'stores one row', 'completed'],
])('a connection cut during a %s %s', async (_, __, argument) => {
  const locks = await services.open({}, proxy.url);
  const ran: number[] = [];
  for (let tick = 1; tick <= 10; tick += 1) {
    cutAfter(argument);
    await locks.runOnce('job', tick, () => ran.push(tick));
  }
  expect(proxy.cuts).toBeGreaterThanOrEqual(10);
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const rows = await locks.getRuns('job');
  expect(rows.map(({ tick, outcome, attempt }) => [tick, outcome, attempt])).toEqual(
    ran.toReversed().map((tick) => [tick, 'completed', 1]),
  );
});
