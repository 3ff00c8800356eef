import type { Cluster } from 'ioredis';
import { Cluster as ClusterClient } from 'ioredis';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { uniquePrefix } from '../support/services.js';
import type { ClusterTopology } from '../support/topology/cluster.topology.js';
import { closeSource, sourceOf } from '../support/topology/topology.source.js';
import { until } from '../support/until.js';

/** Services on one cluster, and what its nodes say of them. */
export class ClusterStage {
  readonly prefix = uniquePrefix();
  readonly #services: LockService[] = [];
  readonly #template: Cluster;

  constructor(readonly topology: ClusterTopology) {
    const source = sourceOf(topology.describe);
    if (!(source instanceof ClusterClient)) throw new Error('not a cluster');
    this.#template = source;
  }

  /** @param lazyConnect whether it connects when it is first used */
  async open(options: LockModuleSettings = {}, lazyConnect = false): Promise<LockService> {
    const settings = readSettings({ namePrefix: this.prefix, shutdownTimeout: 200, ...options });
    const template = lazyConnect ? this.#template.duplicate([], { lazyConnect }) : this.#template;
    const service = await openLockService(settings, template);
    this.#services.push(service);
    return service;
  }

  slotOf(name: string): number {
    return slotOf(this.prefix + name);
  }

  /** The channels of these services that the nodes have, of each kind. */
  async channels(): Promise<{ readonly sharded: string[]; readonly classic: string[] }> {
    const all = async (kind: string) => {
      const live = this.topology.servers.filter(({ answers }) => answers);
      const lists = await Promise.all(
        live.map(({ admin }) => admin.call('PUBSUB', kind, `*${this.prefix}*`) as Promise<string[]>),
      );
      return [...new Set(lists.flat())];
    };
    return { sharded: await all('SHARDCHANNELS'), classic: await all('CHANNELS') };
  }

  /** Waits until the lock's channel is listened to where its slot is, by `count` clients. */
  async sleepers(name: string, count = 1): Promise<void> {
    const channel = lockChannel(this.prefix + name);
    await until(`${count} listen for ${name}`, async () => {
      const owner = await this.topology.masterOf(this.slotOf(name));
      const reply = (await owner.admin.call('PUBSUB', 'SHARDNUMSUB', channel)) as [string, number];
      return Number(reply[1]) >= count;
    });
  }

  /** Keys of these services' locks on any master. */
  async keys(): Promise<string[]> {
    const masters = await this.topology.masters();
    const lists = await Promise.all(masters.map(({ admin }) => admin.keys(`*${this.prefix}*`)));
    return lists.flat();
  }

  /** How many stand in the queues of fair locks. */
  async waiters(): Promise<number> {
    const masters = await this.topology.masters();
    const lengths = await Promise.all(
      masters.map(async ({ admin }) => {
        const queues = await admin.keys(`redisson_lock_queue:*${this.prefix}*`);
        return await Promise.all(queues.map((queue) => admin.llen(queue)));
      }),
    );
    return lengths.flat().reduce((sum, length) => sum + length, 0);
  }

  /** @throws when anything is left behind */
  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.shutDown()));
    closeSource(this.#template);
    const { sharded, classic } = await this.channels();
    const left = [...(await this.keys()), ...sharded, ...classic];
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  }
}
