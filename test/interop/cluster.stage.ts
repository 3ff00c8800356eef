import { Cluster } from 'ioredis';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { until } from '../support/until.js';
import type { ClusterObserver, Namespace } from './cluster.observer.js';
import type { JavaOwner } from './java.owner.js';
import { T, type JavaPeer } from './java.peer.js';
import { RowNotes } from './row.notes.js';
import { sourceForClient } from '../support/client.choice.js';

/** What a row in a cluster plays with: both sides, and the observer. Everything that it opens is closed after the row. */
export class ClusterStage extends RowNotes {
  readonly #services: LockService[] = [];

  constructor(
    readonly java: JavaPeer,
    readonly observer: ClusterObserver,
  ) {
    super();
  }

  /** A thread of a Java client that subscribes in its own way: sharded where the servers can, or never. */
  owner(namespace: Namespace): JavaOwner {
    return this.java.owner(namespace);
  }

  /** Locks of Node in this process, as a client of its own, with plain names and a watchdog timeout of T. */
  async node(options: Parameters<typeof readSettings>[0] = {}): Promise<LockService> {
    const template = new Cluster([...this.observer.topology.describe.nodes], { lazyConnect: true });
    const plain = { namePrefix: '', lockWatchdogTimeout: T, shutdownTimeout: 200, instanceInfo: false };
    const service = await openLockService(readSettings({ ...plain, ...options }), sourceForClient(template));
    template.disconnect();
    this.#services.push(service);
    return service;
  }

  /** Waits until `count` clients listen to a channel, so that they sleep. */
  async sleepers(namespace: Namespace, channel: string, count = 1): Promise<void> {
    await until(`${count} listen to ${channel}`, async () => {
      return (await this.observer.listeners(namespace, channel)) >= count;
    });
    // The attempt after the acknowledgement, which every waiter makes, has to be over as well.
    await this.passed(100);
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.shutDown()));
  }
}
