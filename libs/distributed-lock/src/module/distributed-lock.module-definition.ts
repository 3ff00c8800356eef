import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { RedisSource } from '../sources/source.reader.js';

/** Options of the module. */
export interface DistributedLockModuleOptions extends LockModuleSettings {
  /**
   * Where Redis is: a URL (`redis://`, `rediss://`), `host:port`, ioredis options, or an ioredis client or Cluster of yours, also one of
   * iovalkey. A client is a template: two connections are made after it, and itself is neither used nor closed. Unless it says
   * `lazyConnect`, an unreachable Redis fails the boot. Anything else, and an option that ioredis does not have, fails it before a
   * connection is made.
   */
  readonly redis: RedisSource;
  /** Independent servers, for `getRedLock`. */
  readonly redLock?: RedLockOptions | undefined;
}

/** Red locks: held by whoever has the majority of several servers that know nothing of each other. */
export interface RedLockOptions extends RedLockTimes {
  /** Three or more, five as a rule, each given like `redis`. No replicas of each other, no nodes of one cluster. */
  readonly servers: readonly RedisSource[];
}

/** What is said beside the options, also of `forRootAsync`: it shapes the module itself. */
export interface DistributedLockModuleExtras {
  /** Whether every module sees the LockService without importing this one. @default true */
  readonly isGlobal?: boolean;
  /** Names this instance: `@InjectLockService(name)`, and `service: name` on the decorators. @default the unnamed one */
  readonly name?: string | undefined;
  /**
   * Whether refusals get their transport's form (423 over HTTP) by a global filter. With several instances: the status
   * is that of the one whose filter Nest asks first, so set it to false on the others where they differ.
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
