import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Semaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import {
  semaphoreAcquire,
  semaphoreAdd,
  semaphoreDrain,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Random } from '../support/random.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { CounterFleet, cutAfter, cutBefore } from '../counters/counter.fleet.js';

const name = 's';
const UNAVAILABLE = { name: 'LockUnavailableError', code: 'UNAVAILABLE' };
let fleet: CounterFleet;
let wire: TcpProxy;
let service: LockService;
let cut: Semaphore;
let safe: Semaphore;
beforeEach(async () => {
  fleet = new CounterFleet();
  wire = await fleet.proxy();
  const [behind, direct] = await Promise.all([fleet.open({}, wire), fleet.open()]);
  service = behind;
  cut = behind.getSemaphore(name);
  safe = direct.getSemaphore(name);
  await safe.trySetPermits(3);
});
afterEach(() => fleet.close());

const available = (permits: number, within?: number) =>
  until(`${permits} permits are available`, async () => (await safe.availablePermits()) === permits, within);

describe('a connection that dies', () => {
  test.each([
    ['before', cutBefore],
    ['after', cutAfter],
  ])('%s an acquisition ran takes its permits once', async (_when, ambush) => {
    const died = ambush(wire, semaphoreAcquire);
    await cut.acquire(2);
    await died;
    expect(await safe.availablePermits()).toBe(1);
    await fleet.expectNothingLeft(name);
    // A copy of the call may still be on its way, and must find that it was answered.
    expect(await fleet.echoes()).toHaveLength(1);
  });

  test('after an acquisition ran that is not repeated gives its permits back', async () => {
    const died = cutAfter(wire, semaphoreAcquire);
    await expect(cut.tryAcquire(2)).rejects.toMatchObject(UNAVAILABLE);
    await died;
    await available(3);
    await fleet.expectNothingLeft(name);
  });

  test('after an acquisition ran whose caller has left gives its permits back, and wakes their waiters', async () => {
    const abort = new AbortController();
    const died = cutAfter(wire, semaphoreAcquire);
    const leaving = cut.acquire(3, { signal: abort.signal });
    await died;
    const waiting = safe.acquire(3, { waitTime: scaled(3000) });
    abort.abort('left');
    await expect(leaving).rejects.toBe('left');
    await waiting;
    expect(await safe.availablePermits()).toBe(0);
    await fleet.expectNothingLeft(name);
  });

  test('after an acquisition ran whose caller has left gives the next one what that one wants', async () => {
    const abort = new AbortController();
    const died = cutAfter(wire, semaphoreAcquire);
    const leaving = cut.acquire(1, { signal: abort.signal });
    const next = cut.acquire(2);
    await died;
    abort.abort('left');
    await expect(leaving).rejects.toBe('left');
    await next;
    await available(1);
    await fleet.expectNothingLeft(name);
  });

  test.each([
    ['before', cutBefore],
    ['after', cutAfter],
  ])('%s a release ran gives its permits back once', async (_when, ambush) => {
    await safe.acquire(3);
    const died = ambush(wire, semaphoreAdd);
    await cut.release(2);
    await died;
    expect(await safe.availablePermits()).toBe(2);
    await fleet.expectNothingLeft(name);
  });

  test('after a drain ran gives back what it took', async () => {
    const died = cutAfter(wire, semaphoreDrain);
    await expect(cut.drainPermits()).rejects.toMatchObject(UNAVAILABLE);
    await died;
    await available(3);
    await fleet.expectNothingLeft(name);
  });

  test('under a waiter wakes it once it is back: the message may have been lost', async () => {
    await safe.drainPermits();
    const waiting = cut.acquire();
    await fleet.asleep(1, name);
    wire.refuse();
    await safe.release();
    expect(await safe.availablePermits()).toBe(1);
    wire.restore();
    await waiting;
    expect(await safe.availablePermits()).toBe(0);
  });
});

describe('while Redis does not answer', () => {
  test.each([
    ['acquire', () => cut.acquire(1, { waitTime: 150 }), 150],
    ['tryAcquire with a wait', () => cut.tryAcquire(1, { waitTime: 150 }), 150],
    ['tryAcquire', () => cut.tryAcquire(), 300],
    ['release', () => cut.release(), 600],
    ['drainPermits', () => cut.drainPermits(), 300],
    ['availablePermits', () => cut.availablePermits(), 300],
  ])('%s fails in its time', async (_call, call, bound) => {
    const impatient = await fleet.open({ commandTimeout: 300 }, wire);
    cut = impatient.getSemaphore(name);
    wire.blackHole();
    const start = performance.now();
    await expect(call()).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - start).toBeGreaterThan(bound - 2);
    expect(performance.now() - start).toBeLessThan(bound + scaled(150));
    wire.restore();
    await fleet.expectNothingLeft(name);
  });

  test('a signal ends a wait at once', async () => {
    wire.blackHole();
    const abort = new AbortController();
    const waiting = cut.acquire(1, { signal: abort.signal });
    const trying = cut.tryAcquire(1, { signal: abort.signal });
    setImmediate(() => abort.abort('left'));
    const start = performance.now();
    await expect(waiting).rejects.toBe('left');
    await expect(trying).rejects.toBe('left');
    expect(performance.now() - start).toBeLessThan(scaled(100));
    wire.restore();
    await fleet.expectNothingLeft(name);
    await available(3);
  });

  test('a release goes on in the background, and is logged', async () => {
    const notices = fleet.notices(service);
    await cut.acquire(2);
    wire.refuse();
    await expect(cut.release(2)).rejects.toMatchObject(UNAVAILABLE);
    const delays = notices.filter(({ kind }) => kind === 'call-delayed');
    expect(delays).toMatchObject([{ kind: 'call-delayed', lock: name, what: 'release' }]);
    wire.restore();
    await available(3);
    await fleet.expectNothingLeft(name);
  });

  test('the work of a using stands, and its permits come back', async () => {
    const result = cut.using(async () => {
      wire.refuse();
      return 'done';
    });
    expect(await result).toBe('done');
    wire.restore();
    await available(3);
    await fleet.expectNothingLeft(name);
  });
});

test('no permit is made or lost while connections die at random', async () => {
  const random = new Random();
  const other = (await fleet.open({}, wire)).getSemaphore(name);
  const end = performance.now() + 3000;
  const refusals = new Set<string>();
  let done = 0;
  let running = 0;
  let most = 0;
  const worker = async (semaphore: Semaphore) => {
    while (performance.now() < end) {
      const permits = 1 + random.below(2);
      const waitTime = random.below(2) === 0 ? 40 : 2000;
      await semaphore
        .using(
          async () => {
            running += permits;
            most = Math.max(most, running);
            await new Promise((resolve) => setTimeout(resolve, random.below(4)));
            running -= permits;
            done += 1;
          },
          { permits, waitTime },
        )
        .catch((error: { code: string }) => refusals.add(error.code));
    }
  };
  const cutter = async () => {
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20 + random.below(80)));
      wire.cut();
    }
  };
  await Promise.all([cutter(), ...[cut, other, safe, cut, other].map((semaphore) => worker(semaphore))]);
  expect(done, `FAULT_SEED=${random.seed}`).toBeGreaterThan(20);
  expect(['NOT_ACQUIRED', 'UNAVAILABLE']).toEqual(expect.arrayContaining([...refusals]));
  expect(most, `FAULT_SEED=${random.seed}`).toBeLessThanOrEqual(3);
  await available(3);
  await fleet.expectNothingLeft(name);
});
