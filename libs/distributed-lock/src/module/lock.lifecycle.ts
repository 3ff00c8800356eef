import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { LockService } from '../service/lock.service.js';

/** Ends a module instance with its application: Nest's servers drain between the two hooks. */
export class LockLifecycle implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly locks: LockService) {}

  beforeApplicationShutdown(): void {
    this.locks.refuseTicks();
    // Another instance may lead while requests drain here; the end of it is waited for by the shutdown.
    void this.locks.elections.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.shutDown();
  }
}
