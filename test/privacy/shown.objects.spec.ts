import { inspect } from 'node:util';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { TerminusModule } from '@nestjs/terminus';
import { Cluster, Redis } from 'ioredis';
import * as library from 'nestjs-distributed-lock';
import * as health from 'nestjs-distributed-lock/health';
import * as dashboard from 'nestjs-distributed-lock/dashboard';
import * as metrics from 'nestjs-distributed-lock/metrics';
import * as testing from 'nestjs-distributed-lock/testing';
import * as tracing from 'nestjs-distributed-lock/tracing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LockEngine } from '../../libs/distributed-lock/src/locks/lock.engine.js';
import { ownRedis } from '../locks/own.redis.js';
import { until } from '../support/until.js';

const { DistributedLock, DistributedLockModule, LockService } = library;

const SECRET = 'tell-nobody';
/** So many characters one thing may take; an error may have three stacks. */
const LONGEST = 4096;
const LONGEST_ERROR = 8192;
/** So many objects a walk may meet: what is shown is a few facts. */
const MOST = 100;

@Injectable()
class Consumer {
  constructor(readonly locks: library.LockService) {}

  @DistributedLock('consumer')
  async run(): Promise<library.CurrentLock | undefined> {
    return library.currentLock();
  }

  @Cron('0 0 1 1 *')
  @DistributedLock('yearly', { heartbeat: `http://user:${SECRET}@127.0.0.1:1/${SECRET}?key=${SECRET}` })
  async report(): Promise<void> {
    throw new Error('the report has failed');
  }
}

const server = ownRedis({ args: ['--requirepass', SECRET] });
let app: { get<T>(token: abstract new (...args: never[]) => T): T; close(): Promise<void> };
let locks: library.LockService;
let memory: typeof app;
let admin: Redis;
let other: library.LockService;
const closing: (typeof app)[] = [];
const events = new Map<string, unknown>();

async function open(options: library.DistributedLockModuleOptions): Promise<typeof app> {
  @Module({ imports: [DistributedLockModule.forRoot({ shutdownTimeout: 100, ...options })] })
  class RivalModule {}
  return await NestFactory.createApplicationContext(RivalModule, { logger: false, abortOnError: false });
}

beforeAll(async () => {
  const url = `redis://:${SECRET}@127.0.0.1:${server().port}`;
  @Module({
    imports: [
      DistributedLockModule.forRoot({
        redis: url,
        redLock: { servers: [1, 2, 3].map((db) => `${url}/${db}`) },
        lockWatchdogTimeout: 600,
        shutdownTimeout: 500,
      }),
      ScheduleModule.forRoot(),
      TerminusModule,
    ],
    providers: [Consumer, health.DistributedLockHealthIndicator],
  })
  class AppModule {}
  @Module({ imports: [testing.DistributedLockTestingModule.forRoot()] })
  class MemoryModule {}
  admin = new Redis(url);
  const rival = await open({ redis: url });
  other = rival.get(LockService);
  closing.push(rival);
  app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  memory = await NestFactory.createApplicationContext(MemoryModule, { logger: false });
  locks = app.get(LockService);
  const hear = (name: string) => (event: unknown) => void events.set(name, event);
  locks.events.listen(Object.fromEntries(Object.keys(EVENTS).map((name) => [name, hear(name)])));
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all([app, memory, ...closing].map((each) => each.close()));
});

/** Every event, and whether it is provoked here; a new one does not compile without an answer. */
const EVENTS: Readonly<Record<keyof library.LockEventMap, boolean>> = {
  attempt: true,
  waiting: true,
  acquired: true,
  refused: true,
  failed: false,
  released: true,
  lost: true,
  renewed: true,
  unknown: false,
  tickClaimed: true,
  tickFinished: true,
  tickSkipped: true,
  tickMissed: false,
  tickCrashed: false,
  tickAbandoned: false,
  operatorAction: false,
  tickUnclaimed: false,
};

const failure = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

/** An object for each member of the service: what it gives, or null for what gives no object. */
const MEMBERS: Readonly<Record<string, (() => unknown) | null>> = {
  constructor: () => locks,
  events: () => locks.events,
  jobs: () => locks.jobs,
  fleetReader: () => locks.fleetReader,
  getLock: () => locks.getLock('x'),
  getNonReentrantLock: () => locks.getNonReentrantLock('non-reentrant'),
  getFairLock: () => locks.getFairLock('fair'),
  getNonReentrantFairLock: () => locks.getNonReentrantFairLock('non-reentrant fair'),
  getFencedLock: () => locks.getFencedLock('fenced'),
  getSpinLock: () => locks.getSpinLock('spin'),
  getReadWriteLock: () => {
    const lock = locks.getReadWriteLock('document');
    return [lock, lock.readLock(), lock.writeLock()];
  },
  getMultiLock: () => locks.getMultiLock('a', 'b'),
  getRedLock: () => locks.getRedLock('red'),
  getSemaphore: () => locks.getSemaphore('permits'),
  getPermitExpirableSemaphore: () => locks.getPermitExpirableSemaphore('expirable'),
  getCountDownLatch: () => locks.getCountDownLatch('latch'),
  using: () => locks.using('used', (handle) => handle),
  elect: async () => {
    const election = locks.elect('leader');
    await until('it leads', () => election.isLeader);
    return election;
  },
  runOnce: () => locks.runOnce('once', Date.now(), () => library.currentLock()),
  getRuns: () => locks.getRuns('once'),
  fleet: () => locks.fleet,
  // What the library itself reaches through; not enumerable, and not in the API.
  engine: null,
  ticks: null,
  red: null,
  elections: null,
  settings: null,
  lockOf: null,
  refuseTicks: null,
  beginShutdown: null,
  shutDown: null,
  onceEnded: null,
};

/** An object of each class that the library exports; null for one that has no objects of its own. */
const CLASSES: Readonly<Record<string, (() => unknown) | null>> = {
  DistributedLockError: () => new library.DistributedLockError('LOST', 'a message', 'x'),
  LockConfigurationError: () => failure(() => open({ redis: `http://:${SECRET}@localhost` })),
  LockLostError: async () => {
    const handle = await locks.getLock('lost').lock();
    await locks.getLock('lost').forceUnlock();
    await until('it is known', () => handle.signal.aborted);
    return handle.signal.reason;
  },
  LockNotAcquiredError: async () =>
    await locks.getLock('busy').using(() => failure(() => other.getLock('busy').lock({ waitTime: 20 }))),
  LockUnavailableError: async () => {
    await other.getSemaphore('wrong type').trySetPermits(1);
    await admin.script('FLUSH');
    const refused = await failure(() => locks.getFairLock('wrong type').lock());
    const closed = `redis://:${SECRET}@127.0.0.1:1`;
    return [refused, await failure(() => open({ redis: closed }))];
  },
  StaleTokenError: () => new library.StaleTokenError('fence', 1n, 2n),
  LockRefusalFilter: () => new library.LockRefusalFilter(locks, Object(app)),
  DistributedLockInterceptor: () => new library.DistributedLockInterceptor(locks, { key: 'x' }),
  DistributedLockModule: () => app.get(DistributedLockModule),
  LockService: () => locks,
  DistributedLockHealthIndicator: async () => {
    const indicator = app.get(health.DistributedLockHealthIndicator);
    return [indicator, await indicator.isHealthy('locks')];
  },
  DistributedLockDashboardModule: null,
  DistributedLockMetricsModule: null,
  DistributedLockTracingModule: null,
  DistributedLockTestingModule: () => memory.get(testing.DistributedLockTestingModule),
  LockTestingControl: async () => {
    const control = memory.get(testing.LockTestingControl);
    const guest = await control.holdBy('another', 'x');
    return [control, guest, control.held()];
  },
  MemoryStore: () => memory.get(testing.LockTestingControl).store,
};

const EXPORTS = Object.entries({ ...library, ...dashboard, ...health, ...metrics, ...testing, ...tracing });

function expectClosed(shown: unknown, path: string): void {
  const texts = [
    JSON.stringify(shown, bigints) ?? '',
    inspect(shown, { depth: 20, showHidden: true }),
    String(shown),
  ];
  for (const text of texts) {
    expect(text, path).not.toContain(SECRET);
    expect(text.length, `${path}: ${text.slice(0, 200)}`).toBeLessThan(
      shown instanceof Error ? LONGEST_ERROR : LONGEST,
    );
  }
  const met = new Set<object>();
  walk(shown, path, met);
  expect(met.size, path).toBeLessThan(MOST);
}

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** As structured loggers do that know no `toJSON()`: every enumerable property, to any depth. */
function walk(value: unknown, path: string, met: Set<object>): void {
  if (typeof value === 'string') expect(value, path).not.toContain(SECRET);
  if (typeof value !== 'object' || value === null || met.has(value)) return;
  met.add(value);
  expect(value instanceof LockEngine || value instanceof Redis || value instanceof Cluster, path).toBe(false);
  for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`, met);
  if (value instanceof Error) walk(value.cause, `${path}.cause`, met);
}

describe('what a logger shows has neither a secret nor an engine, and is short:', () => {
  test('each member of the LockService and each exported class has an answer here', () => {
    const members = Object.getOwnPropertyNames(LockService.prototype);
    expect(members.filter((name) => name !== 'toJSON' && !(name in MEMBERS))).toEqual([]);
    const classes = EXPORTS.filter(([, value]) => /^class\b/.test(String(value))).map(([name]) => name);
    expect(classes.filter((name) => !(name in CLASSES))).toEqual([]);
  });

  test.each(Object.entries(MEMBERS).filter(([, make]) => make !== null))(
    'what %s gives',
    async (name, make) => {
      expectClosed(await make?.(), name);
    },
  );

  test.each(Object.entries(CLASSES).filter(([, make]) => make !== null))('a %s', async (name, make) => {
    const made = await make?.();
    for (const one of [made].flat()) expectClosed(one, name);
  });

  test.each(['lock', 'tryLock'] as const)('a handle by %s()', async (door) => {
    for (const lock of [locks.getLock('held'), locks.getMultiLock('m', 'n'), locks.getRedLock('r')]) {
      const handle = await lock[door]();
      expectClosed(handle, lock.name);
      expectClosed(handle?.signal, `${lock.name}.signal`);
      await handle?.unlock();
    }
    const permits = locks.getPermitExpirableSemaphore('held permits');
    await permits.trySetPermits(1);
    await permits.using((permit) => expectClosed(permit, 'permit'));
    const semaphore = locks.getSemaphore('held semaphore');
    await semaphore.trySetPermits(1);
    await semaphore.using((taken) => expectClosed(taken, 'taken permits'));
  });

  test('a class that has the service, and one with a decorated method', async () => {
    const consumer = app.get(Consumer);
    expectClosed(await consumer.run(), 'currentLock()');
    expectClosed(consumer, 'consumer');
    expectClosed({ consumer, list: [locks, locks.getLock('x')] }, 'a log record');
    expect(JSON.stringify({ consumer })).toBe(
      '{"consumer":{"locks":{"type":"LockService","appName":"nestjs-distributed-lock"}}}',
    );
    expect(inspect(locks.getFairLock('fair'))).toBe("Lock { name: 'fair', kind: 'fair' }");
  });

  test('a copy by structuredClone, or why there is none', async () => {
    const handle = await locks.getLock('cloned').lock();
    for (const each of [locks, locks.getLock('x'), locks.getSemaphore('s'), handle])
      expectClosed(await Promise.resolve(each).then(structuredClone).catch(String), 'a clone');
    await handle.unlock();
  });

  test('every event', async () => {
    const lock = locks.getLock('events');
    const there = await other.getLock('events').lock();
    const waiting = lock.lock({ waitTime: '5s' });
    await until('it waits', () => events.has('waiting'));
    await there.unlock();
    const here = await waiting;
    await until('it is renewed', () => events.has('renewed'));
    await lock.forceUnlock();
    await until('it is lost', () => events.has('lost'));
    await here.unlock();
    await other.getLock('events').using(() => failure(() => lock.lock({ waitTime: 20 })));
    await locks.runOnce('ticks', 2, () => undefined);
    await locks.runOnce('ticks', 1, () => undefined);
    const provoked = Object.entries(EVENTS).filter(([, isProvoked]) => isProvoked);
    expect(provoked.filter(([name]) => !events.has(name))).toEqual([]);
    for (const [name, event] of events) expectClosed(event, name);
  });
});
