import { readFileSync } from 'node:fs';
import type { Duration } from '../contracts/duration.js';
import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { OptionNames } from '../options/option.names.js';
import { readReplication } from './replication.reader.js';
import { parseDuration } from '../timing/duration.parser.js';
import { checkSettingNames, SETTING_NAMES } from './setting.names.js';

/** A hung job must not stop its schedule for ever. */
const TICK_MAX_HOLD = 3_600_000;

/** Code that waits this long for a lock that its own process acquired by hand probably waits for itself, in ms. */
const SELF_WAIT = 10_000;

const BUSY_STATUSES = [423, 409, 429, 503];

const PUBSUBS = ['auto', 'sharded', 'classic'];

/**
 * Validates the module's options and fills in the defaults, which are documented at each option.
 * @param known the names that the options may have
 * @throws LockConfigurationError `INVALID_OPTION` that names the option and what it must be
 */
export function readSettings(
  options: LockModuleSettings & { readonly redLock?: RedLockTimes | undefined },
  known: OptionNames = SETTING_NAMES,
): LockSettings {
  group('the options', options);
  checkSettingNames(options, known);
  const { handOver = {}, waitTime = {}, namePrefix = 'lock:', nameMapper, maxHold, warnAfter } = options;
  group('waitTime', waitTime, ', with a duration for each door');
  group('handOver', handOver);
  group('redLock', options.redLock ?? {});
  if (nameMapper !== undefined && options.namePrefix !== undefined) {
    throw invalid('namePrefix and nameMapper cannot be used together: add the prefix in nameMapper.');
  }
  if (typeof namePrefix !== 'string' || namePrefix.includes('\0'))
    throw invalid('namePrefix must be a string without NUL.');
  if (nameMapper !== undefined && typeof nameMapper !== 'function')
    throw invalid('nameMapper must be a function.');
  const busyStatus = options.busyStatus ?? 423;
  if (!BUSY_STATUSES.includes(busyStatus))
    throw invalid(`busyStatus must be one of ${BUSY_STATUSES.join(', ')}, not ${String(busyStatus)}.`);
  const pubsub = options.pubsub ?? 'auto';
  if (!PUBSUBS.includes(pubsub))
    throw invalid(`pubsub must be one of ${PUBSUBS.join(', ')}, not ${String(pubsub)}.`);
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
    shutdownTimeout: duration('shutdownTimeout', options.shutdownTimeout, '10s', 0),
    busyStatus,
    retryAfter: Math.ceil(duration('retryAfter', options.retryAfter, '1s', 0) / 1000),
  };
}

function restartDelay(value: Duration | undefined, watchdogTimeout: number): number {
  const delay = duration('redLock.restartDelay', value, watchdogTimeout, 0);
  if (delay > 0 && delay < watchdogTimeout)
    throw invalid(
      `redLock.restartDelay must be 0, or not less than lockWatchdogTimeout (${watchdogTimeout} ms).`,
    );
  return delay;
}

/** A duration in place of an object would be ignored silently. */
function group(option: string, value: unknown, hint = ''): void {
  if (typeof value !== 'object' || value === null)
    throw invalid(`${option} must be an object${hint}, not ${JSON.stringify(value)}.`);
}

function duration(option: string, value: Duration | undefined, byDefault: Duration, min: number): number {
  return parseDuration(value ?? byDefault, { option, min, unbounded: byDefault === Infinity });
}

function wait(door: string, value: Duration | undefined, byDefault: number): number {
  return parseDuration(value ?? byDefault, { option: `waitTime.${door}`, unbounded: true });
}

function count(option: string, value: number | undefined, byDefault: number, min: number): number {
  const given: unknown = value ?? byDefault;
  if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < min) {
    throw invalid(`${option} must be a whole number of at least ${min}, not ${String(given)}.`);
  }
  return given;
}

function flag(option: string, value: boolean | undefined, byDefault: boolean): boolean {
  const given: unknown = value ?? byDefault;
  if (typeof given !== 'boolean') throw invalid(`${option} must be true or false, not ${String(given)}.`);
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
    if (typeof name !== 'string' || name.length === 0) throw invalid('appName must be text.');
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

function invalid(message: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', message);
}
