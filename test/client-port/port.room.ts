import { afterEach, beforeEach } from 'vitest';
import type { ClientTemplate } from '../../libs/distributed-lock/src/redis-source/client.template.js';
import { ownRedis } from '../locks/own.redis.js';
import { RedisView } from '../locks/redis.view.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { uniquePrefix } from '../support/services.js';
import { PortStage } from './port.stage.js';

/** A server behind a proxy for each test of a file. @returns makes the stage of a test, by the template for the address of the proxy */
export function portRoom(): (template: (url: string) => Promise<ClientTemplate>) => Promise<PortStage> {
  const server = ownRedis();
  let proxy: TcpProxy;
  let view: RedisView;
  let stage: PortStage | undefined;
  beforeEach(async () => {
    proxy = await TcpProxy.open(server().port);
    view = new RedisView(server().url);
  });
  afterEach(async () => {
    await stage?.close();
    stage = undefined;
    view.close();
    await proxy.close();
  });
  return async (template) => {
    stage = new PortStage(await template(proxy.url), proxy, view, uniquePrefix());
    return stage;
  };
}
