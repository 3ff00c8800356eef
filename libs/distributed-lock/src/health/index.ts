export { DistributedLockHealthIndicator, type LockHealthOptions } from './lock.health.indicator.js';
