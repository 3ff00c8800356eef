import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { LockService } from '../service/lock.service.js';

/** Ends a module instance with its application: Nest's servers drain between the two hooks. */
export class LockLifecycle implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly locks: LockService) {}

  beforeApplicationShutdown(): void {
    this.locks.refuseTicks();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.shutDown();
  }
}
