import type { GuardKind } from '../contracts/guard.contract.js';
import type { Duration } from '../contracts/duration.js';
import type { LockHandle } from '../contracts/lock.contract.js';
import { HolderIds } from '../core/holder.ids.js';
import type { LockSettings } from '../contracts/settings.js';
import type { LockService } from '../service/lock.service.js';
import type { MemoryInstance } from '../memory/memory.instance.js';
import type { MemoryStore } from '../memory/memory.store.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import { checkKind } from '../service/choice.checks.js';
import { openMemoryService } from '../memory/open.memory.js';

/** Options of `holdBy()`. */
export interface HoldByOptions {
  /** The kind of the lock. @default 'reentrant' */
  readonly kind?: GuardKind | undefined;
  /**
   * The fixed lease of the lock. Minimum: 100 ms. Not renewed: the lock is held until `release()`, or until the
   * lease ends. @default '1d'
   */
  readonly leaseTime?: Duration | undefined;
  /** How long `holdBy()` waits for a lock that another holder has. @default 0 */
  readonly waitTime?: Duration | undefined;
}

/**
 * A lock that another holder has because the test called `holdBy()`. `await using` calls {@link release} at the
 * end of the block.
 */
export interface HeldByOther extends AsyncDisposable {
  /** The name of the lock, without the prefix of the module. */
  readonly name: string;
  /**
   * The holder id: `<name of the holder>:<integer>`. The same as `heldBy.holder` of a `LockNotAcquiredError`.
   */
  readonly holder: string;
  /** Releases the lock. The next waiter acquires it. */
  release(): Promise<void>;
}

const OPTIONS = optionNames<HoldByOptions>({ kind: true, leaseTime: true, waitTime: true });

/** By store and name: no holder id is used twice, whichever control of an application a test asks. */
const IDS = new WeakMap<MemoryStore, Map<string, HolderIds>>();

function idsOf(store: MemoryStore, holder: string): HolderIds {
  const ofStore = IDS.get(store) ?? new Map<string, HolderIds>();
  IDS.set(store, ofStore);
  const ids = ofStore.get(holder) ?? new HolderIds(holder);
  ofStore.set(holder, ids);
  return ids;
}

/** Holders that a test has named: each is a client of its own on the store, with no application around it. */
export class OtherHolders {
  readonly #instances = new Map<string, MemoryInstance>();
  readonly #held = new Set<HeldByOther>();

  constructor(
    private readonly store: MemoryStore,
    private readonly settings: LockSettings,
  ) {}

  /** @throws LockNotAcquiredError when the lock is held */
  async hold(holder: string, name: string, options: HoldByOptions = {}): Promise<HeldByOther> {
    checkOptionNames(options, OPTIONS, undefined, name);
    const { kind, leaseTime = '1d', waitTime = 0 } = options;
    checkKind(kind, `kind of holdBy() for "${name}"`);
    const handle = await this.#of(holder).lockOf(name, kind).lock({ leaseTime, waitTime });
    const held: HeldByOther = heldBy(handle, () => this.#held.delete(held));
    this.#held.add(held);
    return held;
  }

  /** Everything that they hold is released. */
  async close(): Promise<void> {
    const instances = [...this.#instances.values()];
    this.#instances.clear();
    for (const instance of instances) this.store.instances.delete(instance);
    await Promise.all([...this.#held].map((held) => held.release()));
    await Promise.all(instances.map(({ locks }) => locks.shutDown()));
  }

  #of(holder: string): LockService {
    const known = this.#instances.get(holder);
    if (known !== undefined) return known.locks;
    // It holds for as long as the test wants.
    const unlimited = { maxHold: Infinity, warnAfter: Infinity, selfWaitAfter: Infinity };
    const settings = { ...this.settings, ...unlimited, shutdownTimeout: 0 };
    const ids = idsOf(this.store, holder);
    const instance = { locks: openMemoryService(settings, this.store, ids), crons: [] };
    this.#instances.set(holder, instance);
    this.store.instances.add(instance);
    return instance.locks;
  }
}

function heldBy(handle: LockHandle, released: () => void): HeldByOther {
  const release = async () => {
    await handle.unlock();
    released();
  };
  return { name: handle.name, holder: handle.holder, release, [Symbol.asyncDispose]: release };
}
