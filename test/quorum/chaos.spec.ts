import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { LoopLag } from '../support/faults/loop.lag.js';
import { Random } from '../support/random.js';
import { endOf } from '../locks/lateness.js';
import { scaled } from '../support/slowness.js';
import { QuorumStage, type QuorumSeat } from './quorum.stage.js';
import { RedWitness } from './red.witness.js';

/** How long it goes on, in s. */
const SECONDS = Number(process.env['QUORUM_SECONDS'] ?? 20);
/** The lease, and the time for which a server that has started is not counted, in ms. */
const LEASE = 3000;
/** A server tells its age in whole seconds, so it may be out for this much longer, in ms. */
const ROUNDING = 1000;
const SERVICES = 4;
const WAITERS = 5;

let stage: QuorumStage;
let services: LockService[];

beforeAll(async () => {
  stage = await QuorumStage.open();
  const options = { lockWatchdogTimeout: LEASE, redLock: {} };
  services = await Promise.all(Array.from({ length: SERVICES }, () => stage.open(options)));
  await Promise.all(services.map((service) => stage.untilCounted(service, LEASE + 5000)));
}, scaled(30_000));
afterAll(() => stage.close());

/** Takes the lock in every way there is, works inside for a while, and gives it back. */
async function use(service: LockService, random: Random, witness: RedWitness): Promise<void> {
  const lock = service.getRedLock('x');
  const leaseTime = random.below(4) === 0 ? 1000 : undefined;
  const handle: LockHandle | null =
    random.below(5) === 0
      ? await lock.tryLock({ waitTime: random.below(300), leaseTime }).catch(() => null)
      : await lock.lock({ leaseTime });
  if (handle === null) return;
  witness.enter(handle);
  if (random.below(4) === 0) {
    const again = await handle.run(() => lock.tryLock({ waitTime: 500 })).catch(() => null);
    await again?.unlock().catch(() => undefined);
  }
  await sleep(random.below(random.below(20) === 0 ? 200 : 10));
  witness.leave(handle);
  const isLost = handle.signal.aborted;
  const outcome = await handle.unlock().catch(() => 'unanswered');
  if (isLost || outcome === 'lost') witness.lost += 1;
}

/** Holds another lock for longer than a lease, through several kills, until it is lost or enough. */
async function keep(service: LockService, random: Random, witness: RedWitness): Promise<void> {
  const handle = await service
    .getRedLock('long')
    .tryLock({ waitTime: 1000 })
    .catch(() => null);
  if (handle === null) return;
  witness.enter(handle);
  const { signal } = handle;
  await sleep(random.below(4 * LEASE), undefined, { signal }).catch(() => undefined);
  witness.leave(handle);
  if (signal.aborted) witness.lost += 1;
  await handle.unlock().catch(() => undefined);
}

/**
 * Kills one server after the other, and starts it again, empty. There are two of these, so any two are away at the same
 * time, together or one after the other. A server that has started again is out for the restart delay as well: whoever
 * killed it waits for that, since with four of five servers out nobody could get a lock, and nobody should.
 */
async function killer(out: Set<QuorumSeat>, random: Random, end: number): Promise<number> {
  let kills = 0;
  while (performance.now() < end) {
    const alive = stage.seats.filter((seat) => !out.has(seat));
    const victim = alive[random.below(alive.length)];
    if (victim === undefined) break;
    out.add(victim);
    await victim.kill();
    kills += 1;
    await sleep(random.below(1500));
    await victim.start();
    await sleep(LEASE + ROUNDING);
    out.delete(victim);
    await sleep(random.below(2) * random.below(1000));
  }
  return kills;
}

test(
  'any two of five servers are killed and restarted under load: no overlap, and no stop longer than a lease',
  async () => {
    const random = new Random();
    const lag = new LoopLag();
    const [witness, longWitness] = [new RedWitness(), new RedWitness()];
    const end = performance.now() + SECONDS * 1000;
    const user = async (service: LockService) => {
      while (performance.now() < end) await use(service, random, witness);
    };
    const keeper = async (service: LockService) => {
      while (performance.now() < end) await keep(service, random, longWitness);
    };
    const out = new Set<QuorumSeat>();
    const killers = [killer(out, random, end), killer(out, random, end)];
    const users = services.flatMap((service) => Array.from({ length: WAITERS }, () => user(service)));
    const keepers = services.map(keeper);
    await Promise.all(users);
    witness.stopped(performance.now());
    const kills = (await Promise.all(killers)).reduce((sum, count) => sum + count, 0);
    await Promise.all(keepers);
    lag.stop();
    const overlaps = [...witness.overlaps, ...longWitness.overlaps];
    const seen =
      `FAULT_SEED=${random.seed}: ${SECONDS} s, ${witness.grants} grants, ${kills} kills, longest stop of progress ` +
      `${witness.longestStop.toFixed(0)} ms, ${overlaps.length} overlaps, ${witness.lost} lost holds; ` +
      `${longWitness.lost} lost of ${longWitness.grants} long holds; lag ${lag.worst.toFixed(0)} ms`;
    console.log(seen);
    expect(overlaps, seen).toEqual([]);
    expect(witness.longestStop, seen).toBeLessThan(LEASE + lag.worst);
    expect(kills, seen).toBeGreaterThan(SECONDS / 5);
    expect(witness.grants, seen).toBeGreaterThan((SECONDS * 10) / scaled(1));
  },
  SECONDS * 1000 + scaled(40_000),
);

test(
  'with three of them down it refuses, and gives the reason; with three back it goes on',
  async () => {
    await Promise.all(services.map((service) => stage.untilCounted(service, LEASE + 5000)));
    await stage.kill(0, 2, 4);
    const lock = services[0]?.getRedLock('x');
    const refusal = {
      name: 'LockUnavailableError',
      code: 'UNAVAILABLE',
      lock: 'x',
      message: expect.stringContaining('2 of 5 servers answered, and 3 are needed'),
    };
    await expect(lock?.tryLock()).rejects.toMatchObject(refusal);
    const { end, late } = await endOf(700, async () => await lock?.lock({ waitTime: 700 }));
    expect(end).toMatchObject(refusal);
    expect(Math.abs(late)).toBeLessThan(scaled(60));
    const waiting = lock?.lock();
    await stage.heal();
    const handle = await waiting;
    expect(await handle?.unlock()).toBe('released');
  },
  scaled(30_000),
);
