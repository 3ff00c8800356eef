export type { Duration } from './contracts/duration.js';
export type { BusyContext, GuardOptions, TickOptions } from './contracts/guard.contract.js';
export type {
  CurrentLock,
  Lock,
  LockHandle,
  LockHandleJson,
  LockOptions,
  UnlockOutcome,
  UsingOptions,
} from './contracts/lock.contract.js';
export type { HandOverBounds, LockModuleSettings, WaitTimes } from './contracts/module.options.js';
export type { TickOutcome, TickRecord } from './contracts/tick.contract.js';
export { lockServiceToken } from './contracts/tokens.js';
export { DistributedLock } from './decorators/distributed-lock.decorator.js';
export type { DistributedLockOptions, GuardDecorator, LockKey } from './decorators/guard.types.js';
export { InjectLockService } from './decorators/inject-lock-service.decorator.js';
export type { LockErrorCode } from './errors/error.table.js';
export {
  DistributedLockError,
  LockConfigurationError,
  LockLostError,
  LockNotAcquiredError,
  LockUnavailableError,
  type HeldBy,
} from './errors/lock.errors.js';
export { LockRefusalFilter } from './filters/lock-refusal.filter.js';
export {
  DistributedLockInterceptor,
  type UseDistributedLockOptions,
} from './interceptors/distributed-lock.interceptor.js';
export { UseDistributedLock } from './interceptors/use-distributed-lock.decorator.js';
export { assertLocked, currentLock } from './locks/current.lock.js';
export { DistributedLockModule } from './module/distributed-lock.module.js';
export type {
  DistributedLockModuleExtras,
  DistributedLockModuleOptions,
} from './module/distributed-lock.module-definition.js';
export type { RedisSource } from './redis/client.factory.js';
export { LockService } from './service/lock.service.js';
