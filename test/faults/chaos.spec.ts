import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import {
  LockNotAcquiredError,
  LockUnavailableError,
} from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { LoopLag } from '../support/faults/loop.lag.js';
import { Random } from '../support/random.js';

/** Short, so that leases are lost, and late, all the time. In ms. */
const T = 600;
const LASTS = 8000;
const SERVICES = 4;
const USERS = 6;

let stage: FaultStage;
let fleet: { readonly service: LockService; readonly wire: TcpProxy }[];

beforeAll(async () => {
  stage = await FaultStage.own();
  fleet = await Promise.all(
    Array.from({ length: SERVICES }, async () => {
      const wire = await stage.proxy();
      return { wire, service: await stage.open({ lockWatchdogTimeout: T, commandTimeout: 200 }, wire) };
    }),
  );
}, scaled(30_000));
afterAll(() => stage.close());

/** Everything that may befall a way to Redis, and Redis itself. */
async function befall({ wire }: { readonly wire: TcpProxy }, random: Random): Promise<void> {
  switch (random.below(10)) {
    case 0:
      return wire.cut();
    case 1:
      wire.blackHole();
      await sleep(random.below(2 * T));
      return wire.restore();
    case 2:
      return wire.halfOpen();
    case 3:
      wire.refuse();
      await sleep(random.below(T));
      return wire.restore();
    case 4:
      await stage.redis.pause();
      await sleep(random.below(T));
      return await stage.redis.resume();
    default: {
      const delay = random.below(T / 4);
      wire.judge(() => ({ answered: () => sleep(delay) }));
      await sleep(random.below(2 * T));
      return wire.judge(() => 'pass');
    }
  }
}

/** Whoever is granted a lock looks whether anybody else still believes in it. */
class Believers {
  readonly faults: string[] = [];
  readonly outcomes = { granted: 0, 're-entered': 0, busy: 0, away: 0, aborted: 0, lost: 0 };
  readonly #open = new Map<string, Set<LockHandle>>();

  enter(handle: LockHandle): void {
    const others = this.#open.get(handle.name) ?? new Set();
    this.#open.set(handle.name, others);
    if (handle.isHeld) {
      for (const other of others)
        if (other.isHeld) this.faults.push(`${handle.name}: ${handle.holder} entered beside ${other.holder}`);
    }
    others.add(handle);
  }

  leave(handle: LockHandle): void {
    this.#open.get(handle.name)?.delete(handle);
  }
}

async function use(service: LockService, random: Random, believers: Believers, lag: LoopLag): Promise<void> {
  const { outcomes } = believers;
  const lock = service.getLock(`lock-${random.below(8)}`);
  const waitTime = [0, 100, 500, 1500][random.below(4)] ?? 0;
  const leaseTime = [undefined, undefined, 150, 400, 1000][random.below(5)];
  const signal = random.below(5) === 0 ? AbortSignal.timeout(random.below(300)) : undefined;
  const start = performance.now();
  let handle: LockHandle | null;
  try {
    handle = await lock.tryLock({ waitTime, leaseTime, signal });
  } catch (error) {
    const isExpected = error instanceof LockUnavailableError || error instanceof LockNotAcquiredError;
    if (!isExpected && signal?.aborted !== true) throw error;
    outcomes[isExpected ? 'away' : 'aborted'] += 1;
    handle = null;
  }
  // Without a wait: two questions, when the first grant was late.
  const bound = (waitTime === 0 ? 400 : waitTime) + lag.worst + scaled(50);
  const took = performance.now() - start;
  if (took > bound) believers.faults.push(`a wait of ${waitTime} ms took ${took.toFixed(0)} ms`);
  if (handle === null) {
    outcomes.busy += 1;
    return;
  }
  outcomes.granted += 1;
  believers.enter(handle);
  await sleep(random.below(random.below(3) === 0 ? T : 30));
  if (random.below(3) === 0) {
    const again = await handle.run(() => lock.tryLock({ waitTime: 100, leaseTime: 300 })).catch(() => null);
    if (again?.holder === handle.holder) outcomes['re-entered'] += 1;
    else if (again !== null) believers.enter(again);
    await sleep(random.below(20));
    if (again !== null) believers.leave(again);
    await again?.unlock().catch(() => undefined);
  }
  believers.leave(handle);
  if ((await handle.unlock().catch(() => 'unanswered')) === 'lost') outcomes.lost += 1;
}

test(
  'whatever befalls the connections to Redis, two holders never rely on a lock at once, every bound is kept, and nothing is left',
  async () => {
    const random = new Random();
    const lag = new LoopLag();
    const believers = new Believers();
    const end = performance.now() + LASTS;
    let mishaps = 0;
    // The first service is spared: a waiter to whom nothing happens is there at the very end of each lease.
    const troubles = fleet.slice(1).map(async (victim) => {
      while (performance.now() < end) {
        await sleep(random.below(1000));
        await befall(victim, random);
        mishaps += 1;
      }
    });
    const user = async (service: LockService) => {
      while (performance.now() < end) await use(service, random, believers, lag);
    };
    await Promise.all([
      ...troubles,
      ...fleet.flatMap(({ service }) => Array.from({ length: USERS }, () => user(service))),
    ]);
    lag.stop();
    const seen = `FAULT_SEED=${random.seed}: ${mishaps} mishaps, ${JSON.stringify(believers.outcomes)}, lag ${lag.worst.toFixed(0)} ms`;
    console.log(seen);
    expect(believers.faults, seen).toEqual([]);
    expect(mishaps, seen).toBeGreaterThan(10);
    for (const [outcome, count] of Object.entries(believers.outcomes))
      expect(count, `${outcome}; ${seen}`).toBeGreaterThan(0);
    await stage.expectNothingLeft(10_000);
    for (const { service } of fleet)
      expect(await service.getLock('afterwards').using(() => 'ran', { waitTime: scaled(5000) })).toBe('ran');
  },
  scaled(60_000),
);
