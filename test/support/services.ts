import { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { sourceForClient } from './client.choice.js';
import { isReport } from './declared.keys.js';
import { StoreView } from './store.view.js';

let serial = 0;

/** A prefix that no other test uses. */
export function uniquePrefix(): string {
  serial += 1;
  return `test:${process.pid}:${Date.now()}:${serial}:`;
}

export interface ServicesSeat {
  /** The URL of the ordinary client that looks at what is in Redis. @default the services' own */
  readonly admin?: string;
  readonly prefix?: string;
  /** What looks instead of a client of the services' own; it stays open. */
  readonly store?: StoreView;
}

/** Services like those that a module instance has, each a client of its own: as if in a process of its own. */
export class Services {
  readonly prefix: string;
  readonly #open: LockService[] = [];
  /** What is in Redis, be that one server or a cluster. */
  readonly store: StoreView;

  /** @param seat who looks at what is in Redis, where the services' own user may not; and a prefix that is not of its own making */
  constructor(
    readonly source: RedisSource = inject('redisUrl'),
    private readonly seat: ServicesSeat = {},
  ) {
    this.prefix = seat.prefix ?? uniquePrefix();
    const admin = seat.admin ?? source;
    this.store = seat.store ?? StoreView.at(typeof admin === 'string' ? admin : inject('redisUrl'));
  }

  /** An ordinary client of the one server. */
  get admin(): Redis {
    const { client } = this.store;
    if (!(client instanceof Redis)) throw new Error('a cluster is looked at through `store`');
    return client;
  }

  async open(options: LockModuleSettings = {}, source: RedisSource = this.source): Promise<LockService> {
    const service = await openLockService(
      readSettings({ namePrefix: this.prefix, shutdownTimeout: 200, instanceInfo: false, ...options }),
      sourceForClient(source),
    );
    this.#open.push(service);
    return service;
  }

  /** The keys of these services' locks and jobs, without the reports of instances. */
  async keys(): Promise<string[]> {
    return (await this.store.keys(`*${this.prefix}*`)).filter((key) => !isReport(key));
  }

  /** The channels of these services' locks that anybody listens to. */
  async channels(): Promise<string[]> {
    return await this.store.channels(`*${this.prefix}*`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((service) => service.shutDown()));
    if (this.store !== this.seat.store) this.store.close();
  }
}
