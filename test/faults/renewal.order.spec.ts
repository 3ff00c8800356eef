import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Duration } from '../../libs/distributed-lock/src/contracts/duration.js';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ALL_SCRIPTS } from '../support/all.scripts.js';
import { Latch } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { operationsOf } from '../support/faults/script.calls.js';
import { Random } from '../support/random.js';
import { scaled } from '../support/slowness.js';
import { StoreLog } from '../support/store.log.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';

/** The watchdog's lease, in ms: a renewal comes after 90 to 100 of them, and the holds below last about that long. */
const T = 300;

let stage: FaultStage;
let log: StoreLog;

beforeEach(async () => {
  stage = FaultStage.shared();
  log = new StoreLog(stage.admin, stage.port, stage.services.prefix);
});
afterEach(async () => {
  try {
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
});

test('no renewal is sent after an unlock', async () => {
  const random = new Random();
  const service = await stage.open({ lockWatchdogTimeout: T, handOver: { max: 2 } });
  await log.start();
  const end = performance.now() + 2500;
  const user = async (name: string) => {
    while (performance.now() < end) await service.getLock(name).using(() => sleep(80 + random.below(30)));
  };
  const names = Array.from({ length: 60 }, (_, index) => `lock-${index}`);
  // Two users of each lock hand it from one to the other, under the same holder id or the next one.
  await Promise.all(names.flatMap((name) => [user(name), user(name)]));
  await log.stop();

  const gone = new Set<string>();
  const seen = { renewals: 0, releases: 0, late: 0 };
  for (const { words, isInner } of log.commands) {
    for (const { purpose, key, holder } of isInner ? [] : operationsOf({ name: 'EVALSHA', words, at: 0 })) {
      if (purpose === 'release' || purpose === 'transfer') {
        seen.releases += 1;
        // A transfer names the giver first.
        gone.add(`${key} ${holder}`);
      } else if (purpose === 'renew') {
        seen.renewals += 1;
        if (gone.has(`${key} ${holder}`)) seen.late += 1;
      }
    }
  }
  console.log(`FAULT_SEED=${random.seed}`, seen);
  expect(seen.renewals).toBeGreaterThan(100);
  expect(seen.releases).toBeGreaterThan(100);
  expect(seen.late).toBe(0);
});

/** What is renewed, of each kind. */
const HELD: Readonly<Record<string, (service: LockService, name: string) => Promise<LockHandle>>> = {
  'a lock': (service, name) => service.getLock(name).lock(),
  'a fair lock': (service, name) => service.getFairLock(name).lock(),
  'a fenced lock': (service, name) => service.getFencedLock(name).lock(),
  'a spin lock': (service, name) => service.getSpinLock(name).lock(),
  'a read lock': (service, name) => service.getReadWriteLock(name).readLock().lock(),
  'a write lock': (service, name) => service.getReadWriteLock(name).writeLock().lock(),
  'a permit': async (service, name) => {
    const semaphore = service.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(1);
    return await semaphore.acquire();
  },
};

/** The scripts that keep a hold. */
const RENEWALS: ReadonlySet<string> = new Set(
  ALL_SCRIPTS.filter(({ name }) => name.endsWith('/renew')).map(({ sha1 }) => sha1),
);

/** One of each kind. */
async function holdEachKind(wire: TcpProxy, commandTimeout: Duration = '4s') {
  // A request waits for a connection, or for its answer, for longer than a lease lasts.
  const service = await stage.open({ lockWatchdogTimeout: 1500, commandTimeout }, wire);
  const held = await Promise.all(
    Object.entries(HELD).map(async ([kind, acquire]) => ({ kind, handle: await acquire(service, kind) })),
  );
  const allLost = () => until('each is lost', () => held.every(({ handle }) => !handle.isHeld), scaled(5000));
  const extend = () =>
    Promise.all(held.map(async ({ kind, handle }) => `${kind}: ${await handle.extend('10s')}`));
  return { service, held, allLost, extend };
}

const NOT_EXTENDED = Object.keys(HELD).map((kind) => `${kind}: false`);

/** What Redis keeps without a holder, as it does for Redisson. */
async function deleteSettings(service: LockService): Promise<void> {
  await service.getPermitExpirableSemaphore('a permit').delete();
  await stage.admin.del(`redisson_lock_token:{${stage.key('a fenced lock')}}`);
}

test('no renewal is sent after a loss, though it waited for a connection since before', async () => {
  const wire = await stage.proxy();
  const { service, held, allLost, extend } = await holdEachKind(wire);
  wire.refuse();
  await until('the service knows', () => !service.engine.context.isConnected);
  const extensions = extend();
  await allLost();
  await log.start();
  wire.restore();
  await service.getLock('another').using(() => undefined);
  await log.stop();
  const late = log.commands.filter(({ words }) => RENEWALS.has(words[1] ?? ''));
  const kinds = held.filter(({ handle }) => late.some(({ words }) => words.includes(handle.holder)));
  expect(kinds.map(({ kind }) => kind)).toEqual([]);
  // Redis is not to blame: the lock is lost.
  expect(await extensions).toEqual(NOT_EXTENDED);
  await deleteSettings(service);
});

test('an extension of a lock that is given up before the lock is lost keeps nothing', async () => {
  const wire = await stage.proxy();
  const { service, held, allLost } = await holdEachKind(wire, '400ms');
  const answer = new Latch();
  wire.judge(({ name }) => (name === 'EVALSHA' ? { answered: () => answer.opened } : 'pass'));
  const extensions = await Promise.allSettled(held.map(({ handle }) => handle.extend('10s')));
  expect(extensions.map(({ status }) => status)).toEqual(held.map(() => 'rejected'));
  expect(held.filter(({ handle }) => !handle.isHeld)).toEqual([]);
  await allLost();
  wire.judge(() => 'pass');
  answer.open();
  await deleteSettings(service);
});

test.each(['is answered', 'is given up'])(
  'an extension of a lock that is lost before it %s resolves with false, and keeps nothing',
  async (when) => {
    const wire = await stage.proxy();
    const { service, allLost, extend } = await holdEachKind(wire);
    const answer = new Latch();
    wire.judge(({ name }) => (name === 'EVALSHA' ? { answered: () => answer.opened } : 'pass'));
    const extensions = extend();
    await allLost();
    if (when === 'is answered') answer.open();
    expect(await extensions).toEqual(NOT_EXTENDED);
    wire.judge(() => 'pass');
    answer.open();
    // Redis has extended each lease to ten seconds; the end of the test finds none of them.
    await deleteSettings(service);
  },
  scaled(20_000),
);
