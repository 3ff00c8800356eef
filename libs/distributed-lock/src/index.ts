export type { Duration } from './contracts/duration.js';
export type {
  BusyContext,
  GuardKind,
  GuardOptions,
  LockNames,
  TickOptions,
} from './contracts/guard.contract.js';
export type { Heartbeat, HeartbeatOption, HeartbeatUrls } from './contracts/heartbeat.contract.js';
export type {
  CurrentLock,
  FencedLock,
  FencedLockHandle,
  Lock,
  Lockable,
  LockHandle,
  LockHandleJson,
  LockOptions,
  ReadWriteLock,
  UnlockOutcome,
  UsingOptions,
  WorkResult,
} from './contracts/lock.contract.js';
export type {
  HandOverBounds,
  LockModuleSettings,
  RedLockTimes,
  ReplicaAcknowledgement,
  WaitTimes,
} from './contracts/module.options.js';
export type { Election, ElectionCallbacks } from './contracts/election.contract.js';
export type { CountDownLatch } from './contracts/latch.contract.js';
export type {
  PermitExpirableSemaphore,
  PermitsOptions,
  Semaphore,
  TakenPermits,
  WaitOptions,
} from './contracts/semaphore.contract.js';
export type {
  FindLocksOptions,
  Fleet,
  FoundHolder,
  FoundKind,
  FoundLock,
  InstanceElection,
  InstanceJob,
  InstanceLock,
  LockInstance,
  LockPage,
} from './contracts/fleet.contract.js';
export type {
  ForgetOptions,
  JobControl,
  JobStatus,
  ListedJob,
  ListOptions,
  RunNowOptions,
  RunsOptions,
} from './contracts/job.contract.js';
export type { TickOutcome, TickRecord } from './contracts/tick.contract.js';
export { directCall } from './metadata/schedule.fires.js';
export { lockServiceToken } from './contracts/tokens.js';
export { DistributedLock } from './decorators/distributed-lock.decorator.js';
export type { DistributedLockOptions, GuardDecorator, LockKey } from './decorators/guard.types.js';
export { InjectLockService } from './decorators/inject-lock-service.decorator.js';
export { LeaderOnly } from './decorators/leader-only.decorator.js';
export type { LeaderDecorator, LeaderOnlyOptions } from './decorators/leader.types.js';
export type { LockErrorCode } from './errors/error.table.js';
export {
  DistributedLockError,
  LockConfigurationError,
  LockLostError,
  LockNotAcquiredError,
  LockUnavailableError,
  StaleTokenError,
  type HeldBy,
} from './errors/lock.errors.js';
export type { LockEvents } from './events/lock.events.js';
export type {
  AcquiredEvent,
  AcquisitionEvent,
  FailedEvent,
  LockEventMap,
  LockKindName,
  LockListener,
  LostEvent,
  OperatorActionEvent,
  RefusedEvent,
  ReleasedEvent,
  RenewedEvent,
  TickClaimedEvent,
  TickAbandonedEvent,
  TickCrashedEvent,
  TickEvent,
  TickFinishedEvent,
  TickMissedEvent,
  TickSkippedEvent,
  TickUnclaimedEvent,
  UnknownEvent,
  WaitingEvent,
} from './events/lock.event.types.js';
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
  RedLockOptions,
} from './module/distributed-lock.module-definition.js';
export type {
  NodeAddressMap,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinelOptions,
  NodeRedisSource,
  SentinelNode,
} from './redis-source/node-redis.source.js';
export type { IoredisClient, RedisSource } from './redis-source/redis-source.reader.js';
export {
  FENCE_LUA,
  guardedWrite,
  type CommandValue,
  type Fence,
  type GuardClient,
  type GuardedCommand,
} from './fencing/fencing.guard.js';
export { LockService } from './service/lock.service.js';
