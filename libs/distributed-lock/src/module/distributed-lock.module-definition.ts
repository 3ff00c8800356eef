import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { RedisSource } from '../redis-source/redis-source.reader.js';

/** Options of the module. */
export interface DistributedLockModuleOptions extends LockModuleSettings {
  /**
   * The address of Redis: a URL (`redis://`, `rediss://`), `host:port`, ioredis options, a client or cluster client
   * of ioredis, iovalkey or the `redis` package, or one of the other forms of {@link RedisSource}. A client is only a
   * template: the library creates connections of its own with the same options, sends no command on the client, and never
   * closes the client. An unreachable Redis fails the startup, unless the options have `lazyConnect`. An invalid
   * value, or an option that the Redis library does not know, fails the startup before any connection is made.
   */
  readonly redis: RedisSource;
  /** Independent servers, for `getRedLock`. @default none: `getRedLock()` throws */
  readonly redLock?: RedLockOptions | undefined;
}

/** Options of red locks, which are held on the majority of several independent servers. */
export interface RedLockOptions extends RedLockTimes {
  /**
   * Three or more servers, usually five, each given like `redis`; a repeated server is an `INVALID_OPTION`. The
   * servers must not be replicas of each other, or nodes of one cluster. The startup fails with a
   * `LockUnavailableError` unless a majority is reachable.
   */
  readonly servers: readonly RedisSource[];
}

/**
 * Options that shape the module itself. In `forRootAsync()`, pass them next to `useFactory`, not in the result
 * of the factory.
 */
export interface DistributedLockModuleExtras {
  /** Whether the module is global, so that other modules need no import. @default true */
  readonly isGlobal?: boolean;
  /**
   * The name of this instance, for `@InjectLockService(name)` and `service: name` on the decorators.
   * `'default'` is the unnamed instance. A second instance with the same name fails the startup with
   * `INVALID_OPTION`.
   * @default unnamed
   */
  readonly name?: string | undefined;
  /**
   * Whether a global filter converts a `LockNotAcquiredError` (423 over HTTP) and a `LockUnavailableError` (503) to
   * the error of the transport. One filter converts the lock errors of all module instances, with one `busyStatus`.
   * If the instances have different values of `busyStatus`, set `refusalFilter: false` on all of them except the one
   * whose `busyStatus` clients should get.
   * @default true
   */
  readonly refusalFilter?: boolean;
}

const EXTRAS: DistributedLockModuleExtras = { isGlobal: true, name: undefined, refusalFilter: true };

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DistributedLockModuleOptions>({
    optionsInjectionToken: Symbol.for('nestjs-distributed-lock.options'),
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createLockOptions')
    .setExtras(EXTRAS, (definition, { isGlobal = true }) => ({ ...definition, global: isGlobal }))
    .build();
