import { CALL_WAITS, CONTROL_WAITS, MODULE_WAITS } from './wait.doors.js';
import { CONTROL_LEASES, LOCK_LEASES, PERMIT_LEASES } from './lease.doors.js';
import { MODULES } from './app.stage.js';

/** The test that measures a time from the call that a user makes. */
export interface Measurement {
  /** Below `test/`. */
  readonly file: string;
  /** The name of the test, as it stands in the file. */
  readonly test: string;
}

type Measurements = Readonly<Record<string, Measurement>>;

const measured = (file: string, test: string): Measurement => ({ file, test });

const WAITS = 'durations/waits.spec.ts';
const LEASES = 'durations/leases.spec.ts';
const BOUNDS = 'durations/bounds.spec.ts';
const COMMAND = 'durations/command.spec.ts';

/** Rows of a table of doors, which a test goes over. */
function rows(doors: object, name: (row: string) => string, { file, test }: Measurement): Measurements {
  return Object.fromEntries(Object.keys(doors).map((row) => [name(row), { file, test }]));
}

/** What both modules take, and one test measures with each of them. */
function ofBothModules(option: string, test: string): Measurements {
  return Object.fromEntries(
    MODULES.map((module) => [`${module}.forRoot(options).${option}`, measured(BOUNDS, test)]),
  );
}

const real = (option: string) => `DistributedLockModule.forRoot(options).${option}`;
const testing = (option: string) => `DistributedLockTestingModule.forRoot(options).${option}`;
const guard = (option: string) => `DistributedLock(options).${option}`;
const health = (option: string) => `DistributedLockHealthIndicator.isHealthy(options).${option}`;
const same = (row: string) => row;

/** Every time of the public API, and where it is measured. */
export const MEASURED: Measurements = {
  ...rows(CALL_WAITS, same, measured(WAITS, 'the waitTime of a call lasts from that call')),
  ...rows(CONTROL_WAITS, same, measured(WAITS, 'the waitTime of a call lasts from that call')),
  ...Object.assign(
    {},
    ...MODULES.map((module) =>
      rows(
        MODULE_WAITS,
        (option) => `${module}.forRoot(options).waitTime.${option}`,
        measured(WAITS, 'a waitTime of %s lasts from a call without one'),
      ),
    ),
  ),
  ...rows(
    { ...LOCK_LEASES, ...PERMIT_LEASES, ...CONTROL_LEASES },
    same,
    measured(LEASES, 'a lease lasts from the call that requests it'),
  ),
  'Semaphore.trySetPermits(timeToLive)': measured(
    LEASES,
    'the life of a semaphore as well: Semaphore.trySetPermits(timeToLive)',
  ),
  ...ofBothModules('maxHold', 'maxHold: from the call of lock() until the signal aborts'),
  ...ofBothModules('warnAfter', 'warnAfter: from the call of lock() until the line about the wait'),
  ...ofBothModules(
    'shutdownTimeout',
    'shutdownTimeout: from app.close() until the signal of running work aborts',
  ),
  ...ofBothModules('retryAfter', 'retryAfter: sent to the client of a refused call, in seconds'),
  ...ofBothModules(
    'handOver.time',
    'handOver.time: a waiter of another process gets its turn within it and a hold',
  ),
  [real('lockWatchdogTimeout')]: measured(
    BOUNDS,
    'lockWatchdogTimeout: from the call of lock() of a process that dies until another process has it',
  ),
  // It goes over the locks of the testing module as well, by test/memory.
  [testing('lockWatchdogTimeout')]: measured(
    'locks/lease.suite.ts',
    'of the watchdog is kept up far beyond its length, and never falls below half of it',
  ),
  [real('fairLockWaitTimeout')]: measured(
    BOUNDS,
    'fairLockWaitTimeout: what a waiter of a fair lock declares, from its call',
  ),
  [real('commandTimeout')]: measured(
    'faults/outage.bounds.spec.ts',
    'a call that does not wait ends within the deadline of a round trip, and never returns null',
  ),
  [real('replication.timeout')]: measured(
    'replication/grants.spec.ts',
    'has an error that names how many replicas were needed, within which time, and what can be done',
  ),
  [real('redLock.restartDelay')]: measured(
    'quorum/restart.spec.ts',
    'is not counted earlier because the way to it was cut meanwhile',
  ),
  [guard('maxHold')]: measured(
    'durations/schedule.spec.ts',
    'the maxHold of a scheduled method lasts from the begin of its run until its signal aborts',
  ),
  [guard('minInterval')]: measured(
    'durations/schedule.spec.ts',
    'minInterval lasts from the run of one start until the run of another start',
  ),
  [guard('splay')]: measured(
    'ticks/splay.spec.ts',
    'is survived by the tick: an instance that starts within the delay runs it',
  ),
  [guard('heartbeat.timeout')]: measured(
    'ticks/heartbeat.spec.ts',
    'ends after its timeout where no answer comes, and the next one is sent then',
  ),
  [guard('catchUp')]: measured('ticks/downtime.spec.ts', 'are missed when they are older than catchUp'),
  [guard('grace')]: measured(
    'ticks/alarms.spec.ts',
    'a tick over which Redis %s is not run, and a fast clock does not revive it',
  ),
  'JobControl.runNow(options).timeout': measured(
    'durations/schedule.spec.ts',
    'the timeout of runNow() lasts from its call, where no instance has the job',
  ),
  [health('timeout')]: measured(
    'observability/health.spec.ts',
    'is down with the reasons, and within its time, while Redis gives no answer; and up again when it does',
  ),
  [health('maxRoundTrip')]: measured(
    'observability/health.spec.ts',
    'is down when it is worse than required',
  ),
  [health('maxClockOffset')]: measured(
    'observability/health.spec.ts',
    'is down when it is worse than required',
  ),
  [health('maxWatchdogLate')]: measured(
    BOUNDS,
    'maxWatchdogLate: counted from the instant at which the hold of lock() should have been renewed',
  ),
};

/** Times that nothing waits for, and why. */
export const NOT_MEASURED: Readonly<Record<string, string>> = {
  'LockService.runOnce(instant)': 'an instant that tells one run from another, and no bound',
  'new LockNotAcquiredError(heldBy).since': 'a fact that the library tells',
  'new LockNotAcquiredError(heldBy).ttl': 'a fact that the library tells',
  'new LockNotAcquiredError(waited)': 'a fact that the library tells',
  [testing('commandTimeout')]: 'the store in memory answers at once, without a round trip',
  [testing('fairLockWaitTimeout')]:
    'it is declared to clients of Redisson, which the store in memory does not have',
  [testing('replication.timeout')]: 'the store in memory has no replicas',
  [testing('redLock.restartDelay')]: 'the servers in memory do not start again',
};

/** Every time of the command line, by its flag. */
export const MEASURED_FLAGS: Measurements = {
  wait: measured(COMMAND, '--wait: of run, until it gives up'),
  timeout: measured(COMMAND, '--timeout: of ls, where Redis does not answer'),
  grace: measured(COMMAND, '--grace: of run, from the loss of the lock until the command is killed'),
  lease: measured(COMMAND, '--lease: of run, until another process has the lock of one that was killed'),
};
