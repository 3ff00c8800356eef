export { traceLocks, type LockTracingOptions } from './lock.tracing.js';
export { DistributedLockTracingModule, type LockTracingModuleOptions } from './tracing.module.js';
