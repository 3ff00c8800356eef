export { instrumentLocks, type LockMetricsOptions } from './lock.metrics.js';
export {
  DistributedLockMetricsModule,
  type LockMetricsAsyncOptions,
  type MeasuredLocks,
} from './metrics.module.js';
