import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { LockService } from 'nestjs-distributed-lock';
import { LockTestingControl } from '../../libs/distributed-lock/src/testing/index.js';

/** The applications of a test, with locks in memory. */
export class TestingApps {
  readonly #apps = new Set<TestingModule>();

  async open(metadata: ModuleMetadata) {
    const app = await Test.createTestingModule(metadata).compile();
    app.useLogger(false);
    await app.init();
    this.#apps.add(app);
    return { app, locks: app.get(LockService), control: app.get(LockTestingControl) };
  }

  /** Closes one of them before the end of the test. */
  async close(app: TestingModule): Promise<void> {
    this.#apps.delete(app);
    await app.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#apps].map((app) => this.close(app)));
  }
}
