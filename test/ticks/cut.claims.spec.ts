import { setTimeout as sleep } from 'node:timers/promises';
import type { TickCrashedEvent } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { Gate } from '../locks/gate.js';
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

test('a claim that is granted late, and then once more, reports the crashed run that the first one found', async () => {
  const [other, locks] = [
    await services.open({ lockWatchdogTimeout: 60_000 }),
    await services.open({ lockWatchdogTimeout: 1000 }, proxy.url),
  ];
  const [inside, end] = [new Gate(), new Gate()];
  const dead = other.runOnce('job', 1, async () => {
    inside.open();
    await end.opened;
  });
  await inside.opened;
  await services.admin.del(`${services.prefix}job`);
  const crashed: TickCrashedEvent[] = [];
  locks.events.listen({ tickCrashed: (event) => void crashed.push(event) });
  let claims = 0;
  proxy.judge(({ words }) => {
    if (!words.includes('instant')) return 'pass';
    claims += 1;
    return claims === 1 ? { answered: () => sleep(600) } : 'pass';
  });
  expect(await locks.runOnce('job', 2, () => 'ran')).toBe('ran');
  expect(claims).toBeGreaterThan(1);
  expect(crashed).toMatchObject([{ job: 'job', tick: 1 }]);
  end.open();
  await Promise.allSettled([dead]);
});
