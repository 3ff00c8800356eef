import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { FaultStage } from '../support/faults/fault.stage.js';

const WAITERS = 1000;
const HELD_FOR = 10_000;
const NUMBERS = Array.from({ length: WAITERS }, (_, number) => number);
const options = { timeout: scaled(40_000) };

/** What clients sent: what scripts call inside of them is counted by Redis, too, and left out. */
const SENT_BY_CLIENTS = /^cmdstat_(evalsha|eval|subscribe|unsubscribe|ping|hello|client\|\w+):calls=(\d+)/gm;

interface Scene {
  readonly stage: FaultStage;
  readonly waiters: LockService;
  readonly other: LockService;
  /** Commands that clients sent, by name. */
  sent(): Promise<Map<string, number>>;
}

/** On a Redis of its own, to which nobody else sends anything. */
async function play(act: (scene: Scene) => Promise<void>): Promise<void> {
  const stage = await FaultStage.own();
  try {
    const connectionName = 'waiters';
    // The holder's lease is looked at every third of the shorter of it and this.
    const settings = { lockWatchdogTimeout: 60_000 };
    const waiters = await stage.open(settings, { port: stage.port, connectionName });
    const sent = async () => {
      const stats = await stage.admin.info('commandstats');
      return new Map(
        [...stats.matchAll(SENT_BY_CLIENTS)].map(([, name = '', calls]) => [name, Number(calls)]),
      );
    };
    await act({ stage, waiters, other: await stage.open(settings), sent });
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
}

const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/**
 * 1,000 callers of one process wait behind `held` for 10 s, and then get the lock one after the other.
 * @returns round trips of all holds after the release
 */
async function waitAndPass(
  { stage, waiters, sent }: Scene,
  held: LockHandle,
  leaseTime?: number,
): Promise<number> {
  const order: number[] = [];
  let inside = 0;
  const ends = NUMBERS.map((number) =>
    waiters.getLock('x').using(
      async () => {
        inside += 1;
        expect(inside).toBe(1);
        await Promise.resolve();
        order.push(number);
        inside -= 1;
      },
      { leaseTime },
    ),
  );
  const line = () => waiters.engine.localLocks.get(waiters.settings.mapName('x'));
  await until('the waiters stand in line', () => line()?.hasWaiters === true);
  // The first of them asks, subscribes, and asks again.
  let before = total(await sent());
  await until('the line is at rest', async () => before === (before = total(await sent())));

  const start = performance.now();
  await until('they have waited', () => performance.now() - start > HELD_FOR, HELD_FOR + 5000);
  // The safety net: a question when the lease that Redis told of ends, and at the latest every lockWatchdogTimeout (60 s);
  // a PING of the connection that listens every 15 s. Neither is due within 10 s, nor is a look at the holder's lease.
  expect(total(await sent()) - before).toBe(0);
  expect(order).toEqual([]);

  expect(await held.unlock()).toBe('released');
  await Promise.all(ends);
  expect(order).toEqual(NUMBERS);
  const roundTrips = total(await sent()) - before;
  const clients = String(await stage.admin.client('LIST'));
  expect(clients.match(/ name=waiters:\w+ /g)?.toSorted()).toEqual([
    ' name=waiters:commands ',
    ' name=waiters:subscriber ',
  ]);
  return roundTrips;
}

describe.concurrent('1,000 waiters of one process send nothing for 10 s, then all get the lock in their order', () => {
  test('behind another service, for far less than a round trip per hold', options, () =>
    play(async (scene) => {
      const held = await scene.other.getLock('x').lock({ leaseTime: '60s' });
      const roundTrips = await waitAndPass(scene, held);
      console.log(`behind another service: ${roundTrips / WAITERS} round trips per hold`);
      expect(roundTrips / WAITERS).toBeLessThan(scaled(0.2));
    }),
  );

  test('behind another service with leases of their own, for at most 1.1 round trips per hold', options, () =>
    play(async (scene) => {
      const held = await scene.other.getLock('x').lock({ leaseTime: '60s' });
      const roundTrips = await waitAndPass(scene, held, 20_000);
      console.log(`with leases of their own: ${roundTrips / WAITERS} round trips per hold`);
      expect(roundTrips / WAITERS).toBeLessThanOrEqual(1 + scaled(0.1));
    }),
  );

  test('behind a holder of their own process, for far less than a round trip per hold', options, () =>
    play(async (scene) => {
      const held = await scene.waiters.getLock('x').lock({ leaseTime: '60s' });
      const roundTrips = await waitAndPass(scene, held);
      console.log(`behind a local holder: ${roundTrips / WAITERS} round trips per hold`);
      expect(roundTrips / WAITERS).toBeLessThan(scaled(0.2));
    }),
  );
});
