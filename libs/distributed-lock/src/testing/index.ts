export { DistributedLockTestingModule } from './distributed-lock-testing.module.js';
export type { DistributedLockTestingOptions } from './distributed-lock-testing.module-definition.js';
export type { HeldByOther, HoldByOptions } from './other.holder.js';
export { LockTestingControl, type HeldLock, type ProviderSource } from './lock-testing.control.js';
export { MemoryStore } from '../memory/memory.store.js';
export type { AdvancedTick } from './tick.advance.js';
export { withTestingLocks, type ProviderOverrides } from './testing.locks.js';
