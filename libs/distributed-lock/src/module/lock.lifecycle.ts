import type { BeforeApplicationShutdown, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { LockService } from '../service/lock.service.js';
import type { ShutdownSignal } from './shutdown.signal.module.js';

/**
 * Ends a module instance with its application. Nest destroys the modules one after the other, then drains its
 * servers, and calls the last hook after that; `shutdownTimeout` counts from the first of these moments.
 */
export class LockLifecycle implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly locks: LockService,
    signal: ShutdownSignal,
  ) {
    signal.onShutdown(() => locks.beginShutdown());
  }

  onModuleDestroy(): void {
    this.locks.beginShutdown();
  }

  beforeApplicationShutdown(): void {
    this.locks.refuseTicks();
    // Another instance may lead while requests drain here; the end of it is waited for by the shutdown.
    void this.locks.elections.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.shutDown();
  }
}
