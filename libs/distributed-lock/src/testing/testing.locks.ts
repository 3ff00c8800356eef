import type { DistributedLockModuleOptions } from '../module/distributed-lock.module-definition.js';
import { LOCK_OPENER } from '../module/lock.opener.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import { MemoryOpener } from './memory.opener.js';
import { MemoryStore } from '../memory/memory.store.js';
import { ownTestingSettings, readTestingSettings } from './testing.settings.js';

/** The `TestingModuleBuilder` of `@nestjs/testing`. Only `overrideProvider()` is called. */
export interface ProviderOverrides {
  /** Replaces a provider before the module is compiled. */
  overrideProvider(token: symbol): {
    /** Sets the value that replaces the provider. */
    useValue(value: unknown): unknown;
  };
}

const OPTIONS = optionNames<{ readonly store?: unknown }>({ store: true });

/**
 * Replaces Redis by locks in memory, in an application whose modules import `DistributedLockModule`. Works for
 * `forRoot()`, `forRootAsync()` and all named instances. Their options apply, except `redis` and
 * `redLock.servers`: no Redis is connected. `LockTestingControl.of(app)` returns the control of these locks.
 * @param builder the result of `Test.createTestingModule()`
 * @param options `store`: the store of the locks. Applications with the same store compete for its locks.
 * @default a new store
 * @returns the same builder
 * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. A `store` that is not a `MemoryStore`
 * fails the startup with this code
 */
export function withTestingLocks<B extends ProviderOverrides>(
  builder: B,
  options: { readonly store?: MemoryStore | undefined } = {},
): B {
  checkOptionNames(options, OPTIONS, 'of withTestingLocks()');
  const { store = new MemoryStore() } = options;
  const opener = new MemoryOpener<DistributedLockModuleOptions & { readonly store?: MemoryStore }>(
    (given) => {
      const { redLock, ...settings } = ownTestingSettings(given);
      return readTestingSettings({ ...settings, redLock: timesOf(redLock) });
    },
    store,
  );
  builder.overrideProvider(LOCK_OPENER).useValue(opener);
  return builder;
}

/** Red locks stand on three stores of their own; no servers are named. */
function timesOf(redLock: DistributedLockModuleOptions['redLock']) {
  if (redLock === undefined) return undefined;
  const { servers: _, ...times } = redLock;
  return times;
}
