import type { LastingKind } from '../../libs/distributed-lock/src/work/lasting.work.js';

/** A part of the public API that runs work under a lock. */
export interface WorkAnswer {
  /** What docs/locks.md calls it. */
  readonly page: string;
  /** The doors of work.doors.ts that try it with every piece. */
  readonly doors: readonly string[];
}

const INTERCEPTED = ['intercepted route without a declared type'];

/** By the name that `PublicApi` gives it. */
export const WORK: Readonly<Record<string, WorkAnswer>> = {
  'Lockable.using(work)': { page: 'lock.using', doors: ['lock.using'] },
  'LockService.using(work)': { page: 'locks.using', doors: ['locks.using', 'locks.using of several'] },
  'LockService.runOnce(work)': { page: 'locks.runOnce', doors: ['runOnce'] },
  'LockService.elect(callbacks).onElected': { page: 'onElected', doors: ['elected'] },
  'PermitExpirableSemaphore.using(work)': { page: 'semaphore.using', doors: ['permit.using'] },
  'Semaphore.using(work)': { page: 'semaphore.using', doors: ['semaphore.using'] },
  '@DistributedLock': {
    page: '@DistributedLock',
    doors: [
      'guarded method',
      'guarded method without a declared type',
      'guarded route',
      // Under @Cron, @Interval or @Timeout.
      'tick',
      'turn',
    ],
  },
  '@LeaderOnly': { page: '@LeaderOnly', doors: ['leader only'] },
  '@UseDistributedLock': { page: '@UseDistributedLock', doors: INTERCEPTED },
  'DistributedLockInterceptor.intercept(next).handle': {
    page: 'DistributedLockInterceptor',
    doors: INTERCEPTED,
  },
};

/** Functions of a caller that are no work under a lock, by the reason. */
export const NO_WORK: Readonly<Record<string, readonly string[]>> = {
  'it only runs in the scope: the lock is held until unlock()': ['LockHandle.run(work)'],
  'it takes no lock': ['directCall(work)'],
  'it decorates a parameter': ['@InjectLockService'],
  'it names a lock, before one is taken': [
    'DistributedLock(key)',
    'DistributedLockModule.forRoot(options).nameMapper',
    'DistributedLockTestingModule.forRoot(options).nameMapper',
    'UseDistributedLock(options).key',
    'new DistributedLockInterceptor(options).key',
  ],
  'it answers a refusal: no lock is held': [
    'DistributedLock(options).onBusy',
    'UseDistributedLock(options).onBusy',
    'new DistributedLockInterceptor(options).onBusy',
  ],
  'it runs when the lead is over': ['LockService.elect(callbacks).onRevoked'],
  'it observes, and its result is not awaited': [
    'DistributedLock(options).heartbeat',
    'DistributedLockMetricsModule.forRoot(measured).nameOf',
    'instrumentLocks(options).nameOf',
    ...[
      'acquired',
      'attempt',
      'failed',
      'lost',
      'refused',
      'released',
      'renewed',
      'tickAbandoned',
      'tickClaimed',
      'tickCrashed',
      'tickFinished',
      'tickMissed',
      'tickSkipped',
      'tickUnclaimed',
      'operatorAction',
      'unknown',
      'waiting',
    ].map((event) => `LockEvents.listen(listener).${event}`),
  ],
  'it answers an operator: no lock is held': [
    'DistributedLockDashboardModule.forRoot(options).allow',
    'DistributedLockDashboardModule.forRoot(options).userOf',
  ],
  'it makes options': [
    'DistributedLockDashboardModule.forRootAsync(options).useFactory',
    'DistributedLockMetricsModule.forRootAsync(measured).useFactory',
    'DistributedLockModule.forRootAsync(options).useFactory',
    'DistributedLockTestingModule.forRootAsync(options).useFactory',
  ],
  'it names the address of a server': ['DistributedLockModule.forRoot(options).redis.nodeAddressMap'],
  'it belongs to another package: a client, a provider of meters, an application': [
    'DistributedLockMetricsModule.forRoot(measured).meterProvider.getMeter',
    'DistributedLockModule.forRoot(options).redis.destroy',
    'DistributedLockModule.forRoot(options).redis.disconnect',
    'DistributedLockModule.forRoot(options).redis.duplicate',
    'DistributedLockTracingModule.forRoot(traced).tracerProvider.getTracer',
    'LockTestingControl.of(app).get',
    'guardedWrite(redis).eval',
    'instrumentLocks(options).meterProvider.getMeter',
    'traceLocks(options).tracerProvider.getTracer',
  ],
};

/** What the first column of the table in docs/locks.md calls a result that goes on. */
export const ROWS: Readonly<Record<LastingKind, string>> = {
  observable: 'an Observable',
  stream: 'a stream of Node',
  'web-stream': 'a `ReadableStream`',
  response: 'a `Response`',
  file: 'a `StreamableFile`',
  'async-iterable': 'an async generator',
  process: 'a child process',
  iterator: 'another iterator',
};
