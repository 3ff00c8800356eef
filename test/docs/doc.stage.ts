import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NestFactory } from '@nestjs/core';
import {
  Module,
  type DynamicModule,
  type INestApplication,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import type * as library from '../../libs/distributed-lock/src/index.js';
import { uniquePrefix } from '../support/services.js';

type Library = typeof library;

@Module({})
class DocModule {}

/** A database of its own on the shared server: documents use the default prefix, and names that others use. */
const DATABASE = 14;

/** What a reader of a page has: the page's own scripts, the built library, applications and a Redis. */
export class DocStage {
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly url: string;

  private constructor(
    readonly library: Library,
    server: string,
  ) {
    this.url = `${server}/${DATABASE}`;
  }

  static async open(server: string): Promise<DocStage> {
    const built: Library = await import(pathToFileURL(resolve('dist/esm/index.js')).href);
    return new DocStage(built, server);
  }

  /** A client as an application has one of its own. */
  redis(): Redis {
    const redis = new Redis(this.url);
    this.#ends.push(() => redis.quit());
    return redis;
  }

  /** Boots an application of `parts`, with the library's module under a prefix of its own, and what a page's code expects beside it. */
  async boot(
    parts: ModuleMetadata = {},
    options: Partial<library.DistributedLockModuleOptions> = {},
  ): Promise<INestApplication> {
    const locks = this.library.DistributedLockModule.forRoot({
      redis: this.url,
      namePrefix: uniquePrefix(),
      ...options,
    });
    return await this.start({ ...parts, imports: [locks, ...(parts.imports ?? [])] });
  }

  /** Boots a module as it is on the page. */
  async bootModule(module: Type | DynamicModule): Promise<INestApplication> {
    return await this.start({ imports: [module] });
  }

  /** Does `end` when the page has been read. */
  after(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** A LockService of an application that has nothing else. */
  async locks(options: Partial<library.DistributedLockModuleOptions> = {}): Promise<library.LockService> {
    return (await this.boot({}, options)).get(this.library.LockService);
  }

  /** Ends what was begun, the newest first, and removes what the page has left in its database. */
  async close(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
    const redis = new Redis(this.url);
    await redis.flushdb();
    redis.disconnect();
  }

  private async start(metadata: ModuleMetadata): Promise<INestApplication> {
    const application = await NestFactory.create(
      { module: DocModule, ...metadata },
      { logger: ['error', 'fatal'] },
    );
    this.#ends.push(() => application.close());
    await application.listen(0, '127.0.0.1');
    return application;
  }
}

/** What a page's script exports: `any`, as an import that TypeScript cannot see has it. */
export type Loaded = Awaited<ReturnType<typeof load>>;

/** Loads a page's script by Node itself, as its reader's application would. */
export async function load(script: string) {
  return await import(pathToFileURL(script).href);
}

/** Does with one block of a page what the page says, and judges it; gets what the block exports. */
export type Reading = (stage: DocStage, page: Record<string, Loaded>) => Promise<void>;

/** By page, and by file. */
export type Readings = Readonly<Record<string, Readonly<Record<string, Reading>>>>;
