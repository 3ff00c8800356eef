import { Module, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** In front of every other module: Nest destroys the nearest module first, and the root module has at least 0. */
const FIRST = -1;

/** Calls its listeners when Nest begins to shut an application down, before any module of the application can make it wait. */
export class ShutdownSignal implements OnModuleDestroy {
  readonly #listeners: (() => void)[] = [];

  onShutdown(listener: () => void): void {
    this.#listeners.push(listener);
  }

  onModuleDestroy(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** One for all module instances of an application. */
@Module({
  providers: [
    {
      provide: ShutdownSignal,
      useFactory: (modules: ModulesContainer) => {
        for (const module of modules.values())
          if (module.metatype === ShutdownSignalModule) module.distance = FIRST;
        return new ShutdownSignal();
      },
      inject: [ModulesContainer],
    },
  ],
  exports: [ShutdownSignal],
})
export class ShutdownSignalModule {}
