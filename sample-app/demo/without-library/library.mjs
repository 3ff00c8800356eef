/**
 * The library's face with nothing behind it: every lock is granted to everybody at once.
 * It stands in for `nestjs-distributed-lock` under --unsafe.
 */

/** Leaves a method as it is. */
const nothing = () => () => {};

export const DistributedLock = nothing;
export const UseDistributedLock = nothing;
export const currentLock = () => undefined;
export const assertLocked = () => {};

export class LockService {
  /** @param {string} name */
  getLock(name) {
    return {
      name,
      /**
       * @template T
       * @param {() => T | PromiseLike<T>} work
       */
      using: async (work) => work(),
    };
  }

  async getRuns() {
    return [];
  }
}

export class DistributedLockHealthIndicator {
  /** @param {string} key */
  async isHealthy(key) {
    return { [key]: { status: 'up' } };
  }
}

export class DistributedLockDashboardModule {
  static forRoot() {
    return { module: DistributedLockDashboardModule };
  }
}

export class DistributedLockMetricsModule {
  static forRootAsync() {
    return { module: DistributedLockMetricsModule };
  }
}

export class DistributedLockTracingModule {
  static forRoot() {
    return { module: DistributedLockTracingModule };
  }
}

export class DistributedLockModule {
  static forRootAsync() {
    return { module: DistributedLockModule, global: true, providers: [LockService], exports: [LockService] };
  }
}
