import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { LockSettings } from '../contracts/settings.js';
import { optionNames, ownOptions } from '../options/option.checks.js';
import { SETTINGS, readSettings } from '../startup/settings.reader.js';
import type { DistributedLockTestingOptions } from './distributed-lock-testing.module-definition.js';

/** An application may give the options of its DistributedLockModule, with where Redis is: nothing is connected. */
export const OPTIONS = optionNames<DistributedLockTestingOptions & { readonly redis: unknown }>({
  ...SETTINGS,
  store: true,
  redLock: true,
  redis: true,
});

/** A test that forgot to release a lock is not to wait for long. */
const SHUTDOWN = '1s';

/** @throws LockConfigurationError `INVALID_OPTION` */
export function readTestingSettings(
  options: LockModuleSettings & { readonly redLock?: RedLockTimes | undefined },
): LockSettings {
  return readSettings({ shutdownTimeout: SHUTDOWN, ...ownOptions(options, OPTIONS) }, OPTIONS);
}
