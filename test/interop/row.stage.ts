import { inject } from 'vitest';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { until } from '../support/until.js';
import { JavaPeer, T, type JavaSettings } from './java.peer.js';
import type { Observer } from './observer.js';
import { NodePeer } from './node.peer.js';
import { RowNotes } from './row.notes.js';

/** What a row plays with: both sides, and the observer. Everything that it opens is closed after the row. */
export class RowStage extends RowNotes {
  readonly url = inject('redisUrl');
  readonly port = portOf(this.url);
  readonly #services: LockService[] = [];
  readonly #peers: { kill(): Promise<void> }[] = [];

  constructor(
    /** The Java process that all rows of a file share. */
    readonly java: JavaPeer,
    readonly observer: Observer,
  ) {
    super();
  }

  /** Locks of Node in this process, as a client of its own, with plain names and a watchdog timeout of T. */
  async node(
    options: Parameters<typeof readSettings>[0] = {},
    source: RedisSource = this.url,
    quorum: readonly RedisSource[] = [],
  ): Promise<LockService> {
    const plain = { instanceInfo: false, ...(options.nameMapper === undefined && { namePrefix: '' }) };
    const settings = readSettings({ ...plain, lockWatchdogTimeout: T, shutdownTimeout: 200, ...options });
    const service = await openLockService(settings, source, quorum);
    this.#services.push(service);
    return service;
  }

  /** Locks of Node in a process of their own, which can be killed. @param clockShift of its wall clock, in ms */
  async nodePeer(clockShift?: number): Promise<NodePeer> {
    const peer = await NodePeer.start(this.url, clockShift);
    this.#peers.push(peer);
    return peer;
  }

  /** One more Java process, which can be killed. */
  async javaPeer(settings?: JavaSettings): Promise<JavaPeer> {
    const peer = await JavaPeer.start(this.url, settings);
    this.#peers.push(peer);
    return peer;
  }

  /** Waits until `count` clients listen to the channel of the lock `name`, so that they sleep. */
  async sleepers(name: string, count = 1, channel: string = lockChannel(name)): Promise<void> {
    await until(`${count} listen to ${channel}`, async () => {
      return (await this.observer.listeners(channel)) >= count;
    });
    // The attempt after the acknowledgement, which every waiter makes, has to be over as well.
    await this.passed(50);
  }

  /** Waits until nobody holds or waits: what goes on in the background may do so on a connection that the row ends. */
  async quiet(): Promise<void> {
    await until('nothing is held', async () => (await this.observer.leftovers()).length === 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.shutDown()));
    await Promise.all(this.#peers.map((peer) => peer.kill()));
  }
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
