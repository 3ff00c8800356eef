import 'reflect-metadata';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLock, DistributedLockModule } from '../../dist/esm/index.js';
import { decorate, notByHand } from './nest.mjs';

/**
 * A handler of a Nest application on Express, with the decorator and without it, and the client that asks it, in one process.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `guarded`
 * @returns {Promise<import('../bench.types.js').Contestant>}
 */
export async function open(url, { guarded }) {
  class Orders {
    /** @param {string} id */
    async order(id) {
      return id;
    }
  }
  const guard = /** @type {MethodDecorator} */ (DistributedLock((/** @type {string} */ id) => `order:${id}`));
  decorate(Orders.prototype, 'order', Get('orders/:id'), ...(guarded === true ? [guard] : []));
  Param('id')(Orders.prototype, 'order', 0);
  Controller()(Orders);

  class App {}
  Module({ imports: [DistributedLockModule.forRoot({ redis: url })], controllers: [Orders] })(App);
  const app = await NestFactory.create(App, { logger: false });
  const { port } = (await app.listen(0, '127.0.0.1')).address();
  const agent = new Agent({ keepAlive: true });
  return {
    ...notByHand(),
    using: async (name) => {
      const request = get({ agent, port, host: '127.0.0.1', path: `/orders/${encodeURIComponent(name)}` });
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 200) throw new Error(`answered by ${response.statusCode}`);
    },
    close: async () => {
      agent.destroy();
      await app.close();
    },
  };
}
