import { Logger } from '@nestjs/common';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockOpener } from '../module/lock.opener.js';
import type { LockService } from '../service/lock.service.js';
import { MemoryStore } from '../memory/memory.store.js';
import { openMemoryService } from '../memory/open.memory.js';

/** Opens services in memory, of options that may name their store. */
export class MemoryOpener<O extends { readonly store?: MemoryStore | undefined }> implements LockOpener<O> {
  readonly #stores = new WeakMap<LockService, MemoryStore>();

  constructor(
    private readonly read: (options: O) => LockSettings,
    /** Of the services whose options name none. */
    private readonly store?: MemoryStore,
  ) {}

  open(options: O): LockService {
    warnInProduction();
    const settings = this.read(options);
    const store = readStoreOption(options.store ?? this.store);
    const locks = openMemoryService(settings, store);
    this.#stores.set(locks, store);
    return locks;
  }

  /** Where the locks of a service are; undefined for a service of another opener. */
  storeOf(locks: LockService): MemoryStore | undefined {
    return this.#stores.get(locks);
  }
}

function readStoreOption(store: unknown): MemoryStore {
  if (store === undefined) return new MemoryStore();
  if (store instanceof MemoryStore) return store;
  throw new LockConfigurationError('INVALID_OPTION', 'The store of a testing module must be a MemoryStore.');
}

function warnInProduction(): void {
  if (process.env['NODE_ENV'] !== 'production') return;
  new Logger('DistributedLock').warn(
    'DistributedLockTestingModule is for tests: its locks exclude no other process. Import DistributedLockModule in production.',
  );
}
