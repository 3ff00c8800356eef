import { readFileSync } from 'node:fs';
import type { Duration } from '../contracts/duration.js';
import type {
  HandOverBounds,
  LockModuleSettings,
  RedLockTimes,
  ReplicaAcknowledgement,
  WaitTimes,
} from '../contracts/module.options.js';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import {
  checkOptionNames,
  invalidOption,
  optionNames,
  parseDuration,
  readOptions,
  type OptionNames,
} from '../options/option.checks.js';

/** The names of {@link LockModuleSettings}, for the tables of the modules that add their own. */
export const SETTINGS: Readonly<Record<keyof LockModuleSettings, true>> = {
  lockWatchdogTimeout: true,
  fairLockWaitTimeout: true,
  waitTime: true,
  namePrefix: true,
  nameMapper: true,
  appName: true,
  maxHold: true,
  warnAfter: true,
  maxWaiters: true,
  handOver: true,
  pubsub: true,
  commandTimeout: true,
  replication: true,
  serverCheck: true,
  instanceInfo: true,
  shutdownTimeout: true,
  busyStatus: true,
  retryAfter: true,
};

/** The names of {@link SETTINGS}, with the times of red locks. */
export const SETTING_NAMES = optionNames<LockModuleSettings & { readonly redLock: unknown }>({
  ...SETTINGS,
  redLock: true,
});

const MODULE = 'of the module';

const WAIT_TIMES = optionNames<WaitTimes>({
  lock: true,
  tryLock: true,
  using: true,
  decorator: true,
  interceptor: true,
});

const HAND_OVER = optionNames<HandOverBounds>({ max: true, time: true });

const REPLICATION = optionNames<ReplicaAcknowledgement>({ acks: true, timeout: true });

/** The servers stand beside the times: the module reads them. */
const RED_LOCK = optionNames<RedLockTimes & { readonly servers: unknown }>({
  restartDelay: true,
  servers: true,
});

const GROUPS = [
  ['waitTime', WAIT_TIMES],
  ['handOver', HAND_OVER],
  ['replication', REPLICATION],
  ['redLock', RED_LOCK],
] as const satisfies readonly (readonly [keyof LockModuleSettings | 'redLock', OptionNames])[];

/** A hung job must not stop its schedule for ever. */
const TICK_MAX_HOLD = 3_600_000;

/** Code that waits this long for a lock that its own process acquired by hand probably waits for itself, in ms. */
const SELF_WAIT = 10_000;

const BUSY_STATUSES = [423, 409, 429, 503];

/** The kinds of channels that a cluster can have. */
export const PUBSUBS = ['auto', 'sharded', 'classic'] as const;

/** How long replicas may take, in ms, where commands may take long enough. */
const REPLICA_TIMEOUT = 300;

/**
 * The number of waits that have to fit into the deadline of one round trip: the `WAIT` that is under way when a call comes, its own one, and
 * one more for a script that a server has to load first.
 */
const REPLICA_WAITS = 3;

/**
 * Validates the module's options and fills in the defaults, which are documented at each option.
 * @param known the names that the options may have
 * @throws LockConfigurationError `INVALID_OPTION` that names the option and what it must be
 */
export function readSettings(
  given: LockModuleSettings & { readonly redLock?: RedLockTimes | undefined },
  known: OptionNames = SETTING_NAMES,
): LockSettings {
  checkObject('the options', given);
  // Not where Redis is: an accessor may make a client.
  const options = readOptions(given, { known, read: SETTING_NAMES, where: MODULE });
  checkGroupNames(options);
  const { handOver = {}, waitTime = {}, namePrefix = 'lock:', nameMapper, maxHold, warnAfter } = options;
  checkObject('waitTime', waitTime, ', with a duration for each way to acquire a lock');
  checkObject('handOver', handOver);
  checkObject('redLock', options.redLock ?? {});
  if (nameMapper !== undefined && options.namePrefix !== undefined) {
    throw invalidOption('namePrefix and nameMapper cannot be used together: add the prefix in nameMapper.');
  }
  if (typeof namePrefix !== 'string' || namePrefix.includes('\0'))
    throw invalidOption('namePrefix must be a string without NUL.');
  if (nameMapper !== undefined && typeof nameMapper !== 'function')
    throw invalidOption('nameMapper must be a function.');
  const busyStatus = options.busyStatus ?? 423;
  if (!BUSY_STATUSES.includes(busyStatus))
    throw invalidOption(`busyStatus must be one of ${BUSY_STATUSES.join(', ')}, not ${String(busyStatus)}.`);
  const pubsub = options.pubsub ?? 'auto';
  if (!PUBSUBS.includes(pubsub))
    throw invalidOption(`pubsub must be one of ${PUBSUBS.join(', ')}, not ${String(pubsub)}.`);
  const watchdogTimeout = duration('lockWatchdogTimeout', options.lockWatchdogTimeout, '30s', 300);
  const commandTimeout = duration('commandTimeout', options.commandTimeout, '1s', 50);
  return {
    watchdogTimeout,
    redLockRestartDelay: restartDelay(options.redLock?.restartDelay, watchdogTimeout),
    fairWaitTimeout: duration('fairLockWaitTimeout', options.fairLockWaitTimeout, '5m', 1000),
    waitTime: {
      lock: wait('lock', waitTime.lock, Infinity),
      tryLock: wait('tryLock', waitTime.tryLock, 0),
      using: wait('using', waitTime.using, Infinity),
      decorator: wait('decorator', waitTime.decorator, 0),
      interceptor: wait('interceptor', waitTime.interceptor, 0),
    },
    mapName: nameMapper === undefined ? (name) => [namePrefix, name].join('') : mapped(nameMapper),
    isMapped: nameMapper !== undefined,
    namePrefix: nameMapper === undefined ? namePrefix : '',
    appName: readAppName(options.appName),
    maxHold: duration('maxHold', maxHold, Infinity, 1),
    tickMaxHold: maxHold === undefined ? TICK_MAX_HOLD : duration('maxHold', maxHold, Infinity, 1),
    warnAfter: duration('warnAfter', warnAfter, Infinity, 1),
    selfWaitAfter: warnAfter === undefined ? SELF_WAIT : Infinity,
    maxWaiters: count('maxWaiters', options.maxWaiters, 10_000, 1),
    handOver: {
      max: count('handOver.max', handOver.max, 4096, 0),
      time: duration('handOver.time', handOver.time, 15, 0),
    },
    commandTimeout,
    replication: readReplication(options.replication, commandTimeout),
    pubsub,
    serverCheck: flag('serverCheck', options.serverCheck, true),
    instanceInfo: flag('instanceInfo', options.instanceInfo, true),
    shutdownTimeout: duration('shutdownTimeout', options.shutdownTimeout, '10s', 0),
    busyStatus,
    retryAfter: Math.ceil(duration('retryAfter', options.retryAfter, '1s', 0) / 1000),
  };
}

function restartDelay(value: Duration | undefined, watchdogTimeout: number): number {
  const delay = duration('redLock.restartDelay', value, watchdogTimeout, 0);
  if (delay > 0 && delay < watchdogTimeout)
    throw invalidOption(
      `redLock.restartDelay must be 0, or not less than lockWatchdogTimeout (${watchdogTimeout} ms).`,
    );
  return delay;
}

/**
 * Checks the names in the groups of options that are objects.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
function checkGroupNames(options: object): void {
  const groups: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, names] of GROUPS) {
    const group = groups[name];
    if (typeof group === 'object' && group !== null) checkOptionNames(group, names, `in ${name} ${MODULE}`);
  }
}

/** @throws LockConfigurationError `INVALID_OPTION` */
function readReplication(
  replication: ReplicaAcknowledgement | undefined,
  commandTimeout: number,
): LockSettings['replication'] {
  if (replication === undefined) return undefined;
  const given: unknown = replication;
  if (typeof given !== 'object' || given === null)
    throw invalidOption(`replication must be an object like { acks: 1 }, not ${JSON.stringify(given)}.`);
  const { acks, timeout: wanted } = replication;
  if (acks !== 'majority' && !(Number.isSafeInteger(acks) && acks >= 1))
    throw invalidOption(
      `replication.acks must be a whole number of at least 1, or "majority", not ${String(acks)}.`,
    );
  const longest = Math.floor(commandTimeout / REPLICA_WAITS);
  const timeout = parseDuration(wanted ?? Math.min(REPLICA_TIMEOUT, longest), {
    option: 'replication.timeout',
    min: 10,
  });
  if (timeout > longest)
    throw invalidOption(
      `replication.timeout (${timeout} ms) must not be longer than a third of commandTimeout, which is ${longest} ms: lower it, or raise commandTimeout to ${timeout * REPLICA_WAITS} ms.`,
    );
  return { acks, timeout };
}

/** A duration in place of an object would be ignored silently. */
function checkObject(option: string, value: unknown, hint = ''): void {
  if (typeof value !== 'object' || value === null)
    throw invalidOption(`${option} must be an object${hint}, not ${JSON.stringify(value)}.`);
}

function duration(option: string, value: Duration | undefined, byDefault: Duration, min: number): number {
  return parseDuration(value ?? byDefault, { option, min, unbounded: byDefault === Infinity });
}

function wait(method: string, value: Duration | undefined, byDefault: number): number {
  return parseDuration(value ?? byDefault, { option: `waitTime.${method}`, unbounded: true });
}

function count(option: string, value: number | undefined, byDefault: number, min: number): number {
  const given: unknown = value ?? byDefault;
  if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < min) {
    throw invalidOption(`${option} must be a whole number of at least ${min}, not ${String(given)}.`);
  }
  return given;
}

function flag(option: string, value: boolean | undefined, byDefault: boolean): boolean {
  const given: unknown = value ?? byDefault;
  if (typeof given !== 'boolean')
    throw invalidOption(`${option} must be true or false, not ${String(given)}.`);
  return given;
}

/** A mapper's result becomes a key: a result that is no text must not get there. */
function mapped(mapper: (name: string) => unknown): (name: string) => string {
  return (name) => {
    const key = mapper(name);
    if (typeof key !== 'string' || key.length === 0 || key.includes('\0')) {
      throw new LockConfigurationError(
        'INVALID_NAME',
        `nameMapper returned ${JSON.stringify(key)} for lock "${name}".`,
        name,
        undefined,
        'Return a non-empty string without NUL from nameMapper.',
      );
    }
    return key;
  };
}

function readAppName(name: string | undefined): string {
  if (name !== undefined) {
    if (typeof name !== 'string' || name.length === 0)
      throw invalidOption('appName must be a non-empty string.');
    return name;
  }
  try {
    const manifest: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
    if (
      typeof manifest === 'object' &&
      manifest !== null &&
      'name' in manifest &&
      typeof manifest.name === 'string'
    )
      return manifest.name;
  } catch {
    // No package.json here: the name is for people, and the process title is better than nothing.
  }
  return process.title;
}
