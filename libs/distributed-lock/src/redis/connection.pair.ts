import { LockUnavailableError } from '../errors/lock.errors.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { Client, Template } from './client.factory.js';
import { ClientLifecycle } from './client.lifecycle.js';
import type { ClientPort } from './client.port.js';
import { ClusterMap, type NodeKey } from './cluster.map.js';
import { ClusterSubscriber } from './cluster.subscriber.js';
import { CommandConnection } from './command.connection.js';
import type { Ground } from './ground.contract.js';
import { PubSubMode, type PubSubOption } from './pub-sub.mode.js';
import { RedisFailure } from './redis.failure.js';
import type { ReplicaAcks } from './replica.acks.js';
import { SubscriberConnection } from './subscriber.connection.js';
import type { Subscriber } from './subscriber.contract.js';

/** How long the first connection may take, in ms. */
const BOOT_TIMEOUT = 5000;

/** A silence of this many command timeouts means that a connection is dead: whoever waits for it has given up before. */
const STALL_FACTOR = 1.5;

/**
 * The two connections of a module instance: one sends scripts, one listens; in a cluster two for each node. We made them, so
 * we close them.
 */
export class ConnectionPair implements Ground {
  readonly commands: CommandConnection;
  readonly subscriber: Subscriber;
  readonly mode: PubSubMode;
  readonly #silence: number;
  readonly #map: ClusterMap | undefined;

  constructor(
    private readonly template: Template,
    private readonly wheel: TimerWheel,
    private readonly commandTimeout: number,
    pubsub: PubSubOption = 'auto',
    /** Undefined where nothing waits for replicas. */
    acks?: ReplicaAcks,
  ) {
    this.#silence = commandTimeout * STALL_FACTOR;
    this.mode = new PubSubMode(template.isCluster, pubsub);
    const client = template.create('commands');
    this.#map = 'nodes' in client ? new ClusterMap(client) : undefined;
    this.commands = new CommandConnection({
      lifecycle: this.#follow(client),
      mode: this.mode,
      wheel,
      silence: this.#silence,
      restart: () => this.#restart(),
      map: this.#map,
      nodeOptions: template.nodeOptions('commands'),
      acked: acks && { acks, server: 'nodes' in client ? undefined : client },
    });
    this.subscriber = this.#listen(this.#map);
  }

  get keyPrefix(): string {
    return this.template.keyPrefix;
  }

  get isCluster(): boolean {
    return this.template.isCluster;
  }

  /** Whether the number of clients that a message reached is that of all there are: not where each node counts its own. */
  get countsFleet(): boolean {
    return !this.template.isCluster || this.mode.isSharded;
  }

  /**
   * Connects both and waits until they can be used; with `lazyConnect` it does nothing, and the first command connects.
   * @throws LockUnavailableError that names the address and the cause
   */
  async open(): Promise<void> {
    if (this.template.lazy) return;
    try {
      await this.ready();
    } catch (error) {
      const cause = RedisFailure.from(error);
      await this.close();
      throw new LockUnavailableError(
        undefined,
        `Redis at ${this.template.address} could not be reached within ${BOOT_TIMEOUT} ms: ${cause.message}. Set lazyConnect: true in the redis options to start without it.`,
        { cause },
      );
    }
  }

  /** Connects both; it goes on trying after the time is over. @throws RedisFailure when they cannot be used in time */
  async ready(): Promise<void> {
    const commands = this.commands.lifecycle.untilReady(BOOT_TIMEOUT);
    if (this.#map !== undefined) {
      // Its commands tell where a cluster's channels are.
      await commands;
      // One that stands still is for its cluster to replace.
      await this.wheel.within(this.commandTimeout, this.#map.connectMasters());
    }
    await Promise.all([commands, this.subscriber.untilReady(BOOT_TIMEOUT)]);
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.close(), this.subscriber.close()]);
  }

  #listen(map: ClusterMap | undefined): Subscriber {
    if (map === undefined) {
      const lifecycle = this.#follow(this.template.create('subscriber'));
      return new SubscriberConnection(lifecycle, this.wheel, this.#silence, () => this.#restart());
    }
    const connect = (node: NodeKey) => {
      const client = map.connect(node, this.template.nodeOptions('subscriber'));
      if (client === undefined) return undefined;
      const lifecycle = this.#follow(client);
      const { isSharded } = this.mode;
      const stalled = () => lifecycle.restart();
      return new SubscriberConnection(lifecycle, this.wheel, this.#silence, stalled, isSharded);
    };
    const start = () => this.commands.lifecycle.start();
    return new ClusterSubscriber(map, this.mode, this.wheel, connect, start);
  }

  #follow(client: Client): ClientLifecycle {
    // Version 6 types every reply by its mapping; the port says what is used, for both versions.
    const port: ClientPort = client;
    return new ClientLifecycle(port, this.wheel, this.commandTimeout);
  }

  /** What swallows commands swallows messages, too; and a demoted master has no messages to tell. */
  #restart(): void {
    this.commands.lifecycle.restart();
    this.subscriber.restart();
  }
}
