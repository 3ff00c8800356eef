import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis/client.factory.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/service/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/service/settings.reader.js';

let serial = 0;

/** A prefix that no other test uses. */
export function uniquePrefix(): string {
  serial += 1;
  return `test:${process.pid}:${Date.now()}:${serial}:`;
}

/** Services like those that a module instance has, each a client of its own: as if in a process of its own. */
export class Services {
  readonly prefix = uniquePrefix();
  readonly #open: LockService[] = [];
  readonly #admin: Redis;

  constructor(readonly source: RedisSource = inject('redisUrl')) {
    this.#admin = typeof source === 'string' ? new Redis(source) : new Redis(inject('redisUrl'));
  }

  /** An ordinary client, to look at what is in Redis. */
  get admin(): Redis {
    return this.#admin;
  }

  async open(options: LockModuleSettings = {}, source: RedisSource = this.source): Promise<LockService> {
    const service = await openLockService(
      readSettings({ namePrefix: this.prefix, shutdownTimeout: 200, ...options }),
      source,
    );
    this.#open.push(service);
    return service;
  }

  /** The keys of these services' locks. */
  async keys(): Promise<string[]> {
    return await this.#admin.keys(`*${this.prefix}*`);
  }

  /** The channels of these services' locks that anybody listens to. */
  async channels(): Promise<string[]> {
    return (await this.#admin.pubsub('CHANNELS', `*${this.prefix}*`)) as string[];
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((service) => service.shutDown()));
    this.#admin.disconnect();
  }
}
