// An application of ES modules, in one bundle with a library of CommonJS: the bundle has both formats of the package.
import 'reflect-metadata';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLockModule, LockNotAcquiredError, LockService } from 'nestjs-distributed-lock';
import { Library, LockNotAcquiredError as LibrarysError } from './library.cjs';

class Api {
  /** @param {InstanceType<typeof Library>} library */
  constructor(library) {
    this.library = library;
  }

  guarded() {
    return this.library.guarded();
  }
}
Controller()(Api);
Inject(Library)(Api, undefined, 0);
Get('guarded')(Api.prototype, 'guarded', Object.getOwnPropertyDescriptor(Api.prototype, 'guarded') ?? {});

// oxlint-disable-next-line typescript/no-extraneous-class -- Nest asks for a class
class AppModule {}
Module({
  imports: [
    DistributedLockModule.forRoot({
      redis: process.env.REDIS_URL ?? '',
      namePrefix: process.env.NAME_PREFIX,
    }),
  ],
  controllers: [Api],
  providers: [Library],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
const ask = async () => {
  const response = await fetch(`${url}/guarded`);
  return { status: response.status, text: await response.text() };
};

const free = await ask();
const lock = app.get(LockService).getLock('bundle');
const handle = await lock.lock();
const error = await app
  .get(Library)
  .guarded()
  .catch((reason) => reason);
const busy = await ask();
await handle.unlock();
await app.close();
console.log(
  JSON.stringify({
    copies: LockNotAcquiredError === LibrarysError ? 1 : 2,
    free,
    busy: busy.status,
    isInstance: error instanceof LockNotAcquiredError,
  }),
);
