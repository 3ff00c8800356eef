import { Controller, Get, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { HealthIndicatorService } from '@nestjs/terminus';
import { inject } from 'vitest';
import {
  DistributedLock,
  DistributedLockInterceptor,
  DistributedLockModule,
  guardedWrite,
  LeaderOnly,
  UseDistributedLock,
  type Lockable,
  type LockService,
} from 'nestjs-distributed-lock';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { DistributedLockHealthIndicator } from 'nestjs-distributed-lock/health';
import { DistributedLockMetricsModule, instrumentLocks } from 'nestjs-distributed-lock/metrics';
import {
  DistributedLockTestingModule,
  LockTestingControl,
  withTestingLocks,
} from 'nestjs-distributed-lock/testing';
import { DistributedLockTracingModule, traceLocks } from 'nestjs-distributed-lock/tracing';

/** What the calls of the table are made on. */
export interface OptionGround {
  readonly locks: LockService;
  /** The locks of a testing module, for red locks, which need servers of their own. */
  readonly memory: LockService;
  readonly control: LockTestingControl;
}

/** Options that the compiler would not let through. */
type Given = never;

/** One call with the options. It throws, or gives a promise that rejects. */
type Call = () => unknown;

const work = () => 'ran';

/** A lock of each kind, and of several. */
function lockables({ locks, memory }: OptionGround): Lockable[] {
  const { readLock, writeLock } = locks.getReadWriteLock('rw');
  return [
    locks.getLock('a'),
    locks.getNonReentrantLock('b'),
    locks.getFairLock('c'),
    locks.getNonReentrantFairLock('d'),
    locks.getFencedLock('e'),
    locks.getSpinLock('f'),
    readLock(),
    writeLock(),
    locks.getMultiLock('g', 'h'),
    memory.getRedLock('i'),
  ];
}

/** Boots an application, which the options have to fail. */
async function boot(parts: ModuleMetadata): Promise<never> {
  const module = await Test.createTestingModule(parts).compile();
  const app = module.createNestApplication({ logger: false });
  await app.init();
  await app.close();
  throw new Error('it booted');
}

function real(options: object): DynamicModule {
  return DistributedLockModule.forRoot({ redis: inject('redisUrl'), ...options });
}

/** Both ways by which options come to a module. */
function bothWays(options: object): Call[] {
  return [
    () => boot({ imports: [real(options)] }),
    () =>
      boot({
        imports: [
          DistributedLockModule.forRootAsync({
            useFactory: () => ({ redis: inject('redisUrl'), ...options }),
          }),
        ],
      }),
  ];
}

function testing(options: object): Call[] {
  return [
    () => boot({ imports: [DistributedLockTestingModule.forRoot(options)] }),
    () => boot({ imports: [DistributedLockTestingModule.forRootAsync({ useFactory: () => options })] }),
  ];
}

function decorate(decorator: MethodDecorator): void {
  const descriptor = { value: async () => undefined };
  Reflect.apply(decorator, undefined, [{}, 'run', descriptor]);
}

/** Every door through which options come, with calls that give it the options. */
export const DOORS: Readonly<Record<string, (given: Given, ground: OptionGround) => Call[]>> = {
  'Lockable.lock(options)': (given, ground) => lockables(ground).map((lock) => () => lock.lock(given)),
  'Lockable.tryLock(options)': (given, ground) => lockables(ground).map((lock) => () => lock.tryLock(given)),
  'Lockable.using(options)': (given, ground) =>
    lockables(ground).map((lock) => () => lock.using(work, given)),
  'LockService.using(options)': (given, { locks }) => [
    () => locks.using('a', work, given),
    () => locks.using(['a', 'b'], work, given),
  ],
  'LockService.elect(callbacks)': (given, { locks }) => [() => locks.elect('leader', given)],
  'Semaphore.acquire(options)': (given, { locks }) => [() => locks.getSemaphore('s').acquire(1, given)],
  'Semaphore.tryAcquire(options)': (given, { locks }) => [() => locks.getSemaphore('s').tryAcquire(1, given)],
  'Semaphore.using(options)': (given, { locks }) => [() => locks.getSemaphore('s').using(work, given)],
  'PermitExpirableSemaphore.acquire(options)': (given, { locks }) => [
    () => locks.getPermitExpirableSemaphore('p').acquire(given),
  ],
  'PermitExpirableSemaphore.tryAcquire(options)': (given, { locks }) => [
    () => locks.getPermitExpirableSemaphore('p').tryAcquire(given),
  ],
  'PermitExpirableSemaphore.using(options)': (given, { locks }) => [
    () => locks.getPermitExpirableSemaphore('p').using(work, given),
  ],
  'CountDownLatch.await(options)': (given, { locks }) => [() => locks.getCountDownLatch('l').await(given)],
  'JobControl.runNow(options)': (given, { locks }) => [() => locks.jobs.runNow('j', given)],
  'JobControl.list(options)': (given, { locks }) => [() => locks.jobs.list(given)],
  'LockService.getRuns(options)': (given, { locks }) => [() => locks.getRuns('a', given)],
  'Fleet.locks(options)': (given, { locks }) => [() => locks.fleet.locks(given)],
  'DistributedLockDashboardModule.forRoot(options)': (given) => [
    () => DistributedLockDashboardModule.forRoot(given),
  ],
  'DistributedLockDashboardModule.forRootAsync(options)': (given) => [
    () => DistributedLockDashboardModule.forRootAsync({ useFactory: () => ({}), ...Object(given) }),
  ],
  'JobControl.forget(options)': (given, { locks }) => [() => locks.jobs.forget('j', given)],
  'LockEvents.listen(listener)': (given, { locks }) => [() => locks.events.listen(given)],
  'guardedWrite(passed)': (given) => [
    () => guardedWrite({ eval: async () => [] }, given, [['SET', 'k', 'v']]),
  ],
  'DistributedLock(options)': (given) => [() => decorate(DistributedLock('a', given) as MethodDecorator)],
  'DistributedLock(options).heartbeat': (heartbeat) => [
    () => decorate(DistributedLock('a', { heartbeat }) as MethodDecorator),
  ],
  'LeaderOnly(options)': (given) => [() => decorate(LeaderOnly('a', given) as MethodDecorator)],
  'UseDistributedLock(options)': (given) => [
    () => decorate(UseDistributedLock({ key: 'a', ...Object(given) })),
    () => {
      @UseDistributedLock({ key: 'a', ...Object(given) })
      @Controller()
      class Orders {
        @Get()
        async all() {}
      }
      return Orders;
    },
  ],
  'new DistributedLockInterceptor(options)': (given, { locks }) => [
    () => new DistributedLockInterceptor(locks, { key: 'a', ...Object(given) }),
  ],
  'DistributedLockModule.forRoot(options)': bothWays,
  'DistributedLockModule.forRoot(options).waitTime': (waitTime) => bothWays({ waitTime }),
  'DistributedLockModule.forRoot(options).handOver': (handOver) => bothWays({ handOver }),
  'DistributedLockModule.forRoot(options).replication': (replication) =>
    bothWays({ replication: { acks: 1, ...Object(replication) } }),
  'DistributedLockModule.forRoot(options).redLock': (redLock) =>
    bothWays({ redLock: { servers: [], ...Object(redLock) } }),
  'DistributedLockModule.forRootAsync(options)': (given) => [
    () => DistributedLockModule.forRootAsync({ useFactory: () => ({ redis: '' }), ...Object(given) }),
  ],
  'DistributedLockTestingModule.forRoot(options)': testing,
  'DistributedLockTestingModule.forRoot(options).waitTime': (waitTime) => testing({ waitTime }),
  'DistributedLockTestingModule.forRoot(options).handOver': (handOver) => testing({ handOver }),
  'DistributedLockTestingModule.forRoot(options).replication': (replication) =>
    testing({ replication: { acks: 1, ...Object(replication) } }),
  'DistributedLockTestingModule.forRoot(options).redLock': (redLock) => testing({ redLock }),
  'DistributedLockTestingModule.forRootAsync(options)': (given) => [
    () => DistributedLockTestingModule.forRootAsync({ useFactory: () => ({}), ...Object(given) }),
  ],
  'withTestingLocks(options)': (given) => [() => withTestingLocks(Test.createTestingModule({}), given)],
  'LockTestingControl.holdBy(options)': (given, { control }) => [() => control.holdBy('other', 'a', given)],
  'DistributedLockHealthIndicator.isHealthy(options)': (given, { locks }) => [
    () =>
      new DistributedLockHealthIndicator(Reflect.construct(HealthIndicatorService, []), {
        get: () => locks,
      } as never).isHealthy('locks', given),
  ],
  'DistributedLockMetricsModule.forRoot(measured)': (given) => [
    () => DistributedLockMetricsModule.forRoot(given),
  ],
  'DistributedLockMetricsModule.forRootAsync(measured)': (given) => [
    () => DistributedLockMetricsModule.forRootAsync({ useFactory: () => ({}), ...Object(given) }),
  ],
  'instrumentLocks(options)': (given, { locks }) => [() => instrumentLocks(locks, given)],
  'DistributedLockTracingModule.forRoot(traced)': (given) => [
    () => DistributedLockTracingModule.forRoot(given),
  ],
  'traceLocks(options)': (given, { locks }) => [() => traceLocks(locks, given)],
};

/** Objects with names that are no options, and why. */
export const NO_OPTIONS: Readonly<Record<string, string>> = {
  'ProviderSource.get(options)': 'an application of Nest reads them',
  'new LockNotAcquiredError(heldBy)': 'the library makes the error',
  'DistributedLockModule.forRoot(options).redis':
    'the options of ioredis, and its clients, which have a table of their own',
};

/** Names that the published type does not have, and that the door takes in silence, and why. */
export const ALSO_TAKEN: Readonly<Record<string, readonly string[]>> = {
  // An application may give both modules the same options.
  'DistributedLockTestingModule.forRoot(options)': ['redis'],
  'DistributedLockTestingModule.forRoot(options).redLock': ['servers'],
  // Tracing adds a callback that is internal.
  'LockEvents.listen(listener)': ['around'],
};

/** Names of the type that the library reads in another object than the one that is checked first. */
export const OTHER_PLACE: Readonly<Record<string, readonly string[]>> = {
  // forRootAsync() takes them beside the factory, so that forRoot() lists them, and a factory must not.
  'DistributedLockModule.forRoot(options)': ['isGlobal', 'name', 'refusalFilter'],
  'DistributedLockTestingModule.forRoot(options)': ['isGlobal', 'name', 'refusalFilter'],
};
