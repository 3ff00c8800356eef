import type { Server } from 'node:http';
import {
  Module,
  type DynamicModule,
  type INestApplication,
  type LoggerService,
  type ModuleMetadata,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { inject } from 'vitest';
import {
  DistributedLockModule,
  type DistributedLockModuleExtras,
  type LockHandle,
  type LockModuleSettings,
  type LockService,
} from 'nestjs-distributed-lock';
import { Services } from '../support/services.js';
import { StoreLog } from '../support/store.log.js';
import { sourceForClient } from '../support/client.choice.js';

/** What one application of a test is made of. */
export interface AppParts extends ModuleMetadata {
  readonly options?: LockModuleSettings;
  readonly extras?: DistributedLockModuleExtras;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Real Nest applications on the shared Redis, and somebody else who takes locks there. */
export class DoorStage {
  readonly services = new Services();
  /** What the applications logged: level, then what was said. */
  readonly logged: string[] = [];
  readonly #apps: INestApplication[] = [];
  readonly #held: LockHandle[] = [];

  /** The module as every application here imports it. */
  locks(
    options: LockModuleSettings = {},
    extras: DistributedLockModuleExtras = {},
    redis = inject('redisUrl'),
  ): DynamicModule {
    return DistributedLockModule.forRoot({
      redis: sourceForClient(redis),
      namePrefix: this.services.prefix,
      shutdownTimeout: 1000,
      ...options,
      ...extras,
    });
  }

  /** An application that listens on a free port; errors of its boot reach the test. */
  async start({ options, extras, imports = [], ...parts }: AppParts): Promise<INestApplication> {
    return await this.boot({ ...parts, imports: [this.locks(options, extras), ...imports] });
  }

  /** One whose imports are all its own. */
  async boot(parts: ModuleMetadata): Promise<INestApplication> {
    @Module(parts)
    class AppModule {}
    const app = await NestFactory.create(AppModule, { logger: this.#logger(), abortOnError: false });
    this.#apps.push(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  /** Takes a lock as another process would. */
  async hold(name: string): Promise<LockHandle> {
    const other: LockService = await this.services.open();
    const handle = await other.getLock(name).lock();
    this.#held.push(handle);
    return handle;
  }

  /** What is sent to Redis about these applications' locks while `work` runs. */
  async sent(work: () => Promise<unknown>): Promise<string[]> {
    const { admin, prefix } = this.services;
    const log = new StoreLog(admin, admin.options.port ?? 6379, prefix);
    await log.start();
    await work();
    await log.stop();
    return log.commands.map(({ words }) => words.join(' '));
  }

  #logger(): LoggerService {
    const note = (level: string) => (message: unknown) => {
      // Each boot on a URL says which client it takes.
      if (!/ is reached with the package /.test(String(message)))
        this.logged.push(`${level}: ${String(message)}`);
    };
    return {
      log: () => undefined,
      debug: note('debug'),
      warn: note('warn'),
      error: note('error'),
      fatal: note('fatal'),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#held.map((handle) => handle.unlock()));
    for (const app of this.#apps) {
      // An aborted fetch() leaves a fresh connection behind, for which a server would wait.
      const server: Server = app.getHttpServer();
      server.closeAllConnections();
    }
    await Promise.all(this.#apps.map((app) => app.close()));
    await this.services.close();
  }
}

/** One request; a JSON body is parsed. */
export async function request(app: INestApplication, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${await app.getUrl()}${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
