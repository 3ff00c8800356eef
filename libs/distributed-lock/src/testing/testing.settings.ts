import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { LockSettings } from '../contracts/settings.js';
import { optionNames, ownOptions } from '../options/option.checks.js';
import { SETTING_NAMES, SETTINGS, readSettings } from '../startup/settings.reader.js';
import type { DistributedLockTestingOptions } from './distributed-lock-testing.module-definition.js';

/** An application may give the options of its DistributedLockModule, with where Redis is: nothing is connected. */
export const OPTIONS = optionNames<DistributedLockTestingOptions & { readonly redis: unknown }>({
  ...SETTINGS,
  store: true,
  redLock: true,
  redis: true,
});

/** Those of {@link OPTIONS} that are used: an accessor of where Redis is may make a client. */
export const READ = new Set([...SETTING_NAMES, 'store']);

/** A test that forgot to release a lock is not to wait for long. */
const SHUTDOWN = '1s';

/** The settings of an application, without where Redis is. @throws LockConfigurationError `INVALID_OPTION` */
export function ownTestingSettings<T extends object>(options: T): T {
  return ownOptions(options, { known: OPTIONS, read: SETTING_NAMES, where: 'of a testing module' });
}

/** @throws LockConfigurationError `INVALID_OPTION` */
export function readTestingSettings(
  options: LockModuleSettings & { readonly redLock?: RedLockTimes | undefined },
): LockSettings {
  return readSettings({ shutdownTimeout: SHUTDOWN, ...ownTestingSettings(options) }, OPTIONS);
}
