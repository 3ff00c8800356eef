import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { readTemplate } from '../../libs/distributed-lock/src/connections/template.loader.js';
import { readIoredis } from '../../libs/distributed-lock/src/ioredis-client/ioredis.adapter.js';
import { readNodeRedis } from '../../libs/distributed-lock/src/node-redis-client/node-redis.adapter.js';
import type { ClientTemplate } from '../../libs/distributed-lock/src/redis-source/client.template.js';

/** How the clients of an adapter are had for a server. */
export interface PortAdapter {
  readonly title: string;
  readonly template: (url: string) => Promise<ClientTemplate>;
}

/** Every adapter, by each kind of source and each version of the protocol. */
export const ADAPTERS: readonly PortAdapter[] = [
  { title: 'ioredis, by a URL', template: async (url) => readIoredis(`${url}?protocol=3`) },
  { title: 'ioredis, by a client, RESP2', template: (url) => readTemplate(ioredisClient(url)) },
  { title: 'redis, by a URL, RESP2', template: (url) => readNodeRedis(url, 'redis') },
  { title: 'redis, by a URL, RESP3', template: (url) => readNodeRedis(`${url}?protocol=3`, 'redis') },
  { title: 'redis, by a client, RESP2', template: (url) => readTemplate(createClient({ url, RESP: 2 })) },
  { title: 'redis, by a client, RESP3', template: (url) => readTemplate(createClient({ url, RESP: 3 })) },
];

/** A client that is never connected. */
function ioredisClient(url: string): Redis {
  return new Redis(url, { lazyConnect: true, protocol: 2 });
}
