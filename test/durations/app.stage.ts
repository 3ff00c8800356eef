import type { DynamicModule, INestApplication } from '@nestjs/common';
import type { LockModuleSettings, LockOptions } from 'nestjs-distributed-lock';
import { LockService } from 'nestjs-distributed-lock';
import { DistributedLockTestingModule, MemoryStore } from 'nestjs-distributed-lock/testing';
import { DoorStage } from '../doors/door.stage.js';
import { guardedParts } from './guarded.parts.js';

/** The two modules through which an application gets its locks. */
export type ModuleName = 'DistributedLockModule' | 'DistributedLockTestingModule';
export const MODULES: readonly ModuleName[] = ['DistributedLockModule', 'DistributedLockTestingModule'];

/** Applications with one of the two modules, on one store. */
export class AppStage extends DoorStage {
  readonly #memory = new MemoryStore();

  /** An application with a guarded method and guarded routes. */
  async open(
    module: ModuleName,
    options: LockModuleSettings = {},
    call: Pick<LockOptions, 'waitTime' | 'leaseTime'> = {},
  ): Promise<INestApplication> {
    const parts = guardedParts(call);
    return await this.boot({ ...parts, imports: [this.#module(module, options)] });
  }

  /** What another process calls. */
  async other(module: ModuleName): Promise<LockService> {
    return (await this.open(module)).get(LockService);
  }

  #module(name: ModuleName, options: LockModuleSettings): DynamicModule {
    if (name === 'DistributedLockModule') return this.locks(options);
    return DistributedLockTestingModule.forRoot({ store: this.#memory, ...options });
  }
}
