import type { DistributedLockModuleOptions } from '../module/distributed-lock.module-definition.js';
import { LOCK_OPENER } from '../module/lock.opener.js';
import { checkOptionNames, optionNames } from '../options/option.names.js';
import { MemoryOpener } from './memory.opener.js';
import { MemoryStore } from '../memory/memory.store.js';
import { readTestingSettings } from './testing.settings.js';

/** What is used of the `TestingModuleBuilder` of `@nestjs/testing`. */
export interface ProviderOverrides {
  /** Replaces a provider before the module is compiled. */
  overrideProvider(token: symbol): {
    /** Gives the value in its place. */
    useValue(value: unknown): unknown;
  };
}

const OPTIONS = optionNames<{ readonly store?: unknown }>({ store: true });

/**
 * Has an application whose modules import `DistributedLockModule` run on locks in memory: of `forRoot()` and `forRootAsync()`, of all
 * named instances, with their options but for `redis`. Nothing is connected. `LockTestingControl.of(app)` has the controls.
 * @param builder of `Test.createTestingModule()`
 * @param options `store`: where the locks are; applications with the same store compete for them. @default one of the application's own
 */
export function withTestingLocks<B extends ProviderOverrides>(
  builder: B,
  options: { readonly store?: MemoryStore | undefined } = {},
): B {
  checkOptionNames(options, OPTIONS, 'of withTestingLocks()');
  const { store = new MemoryStore() } = options;
  const opener = new MemoryOpener<DistributedLockModuleOptions & { readonly store?: MemoryStore }>(
    ({ redLock, ...settings }) => readTestingSettings({ ...settings, redLock: timesOf(redLock) }),
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
