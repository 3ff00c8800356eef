import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLock, DistributedLockModule } from '../../dist/esm/index.js';
import { decorate, notByHand } from './nest.mjs';

/**
 * A method of a provider of a Nest application, with the decorator and without it.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `guarded`
 * @returns {Promise<import('../bench.types.js').Contestant>}
 */
export async function open(url, { guarded }) {
  class Orders {
    /** @param {string} id */
    async bare(id) {
      return id;
    }

    /** @param {string} id */
    async guarded(id) {
      return id;
    }
  }
  Injectable()(Orders);
  const guard = /** @type {MethodDecorator} */ (DistributedLock((/** @type {string} */ id) => `order:${id}`));
  decorate(Orders.prototype, 'guarded', guard);

  class App {}
  Module({ imports: [DistributedLockModule.forRoot({ redis: url })], providers: [Orders] })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  const orders = app.get(Orders);
  return {
    ...notByHand(),
    using: (name) => (guarded === true ? orders.guarded(name) : orders.bare(name)),
    close: () => app.close(),
  };
}
