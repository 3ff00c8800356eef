import { LockUnavailableError } from '../errors/lock.errors.js';
import { remedyForOptions } from '../errors/redis.refusals.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { Client, Template } from '../redis-source/client.factory.js';
import { ClientLifecycle } from '../redis/client.lifecycle.js';
import type { ClientPort } from '../redis/client.port.js';
import { ClusterMap, type NodeKey } from '../cluster/cluster.map.js';
import { ClusterSubscriber } from '../cluster/cluster.subscriber.js';
import { CommandConnection } from './command.connection.js';
import type { Backend } from './backend.contract.js';
import { HandshakeCheck, type HandshakeWarning, type WarningListener } from '../redis/handshake.check.js';
import { watchNodes } from './node.watch.js';
import { PubSubMode, type PubSubOption } from '../redis/pub-sub.mode.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ReplicaAcks } from '../cluster/replica.acks.js';
import { watchSentinels } from './sentinel.watch.js';
import { SubscriberConnection } from '../redis/subscriber.connection.js';
import type { Subscriber } from '../redis/subscriber.contract.js';

/** How long the first connection may take, in ms. */
const BOOT_TIMEOUT = 5000;

/** After a silence of this many command timeouts a connection counts as dead: every caller that waits for it has given up before. */
const STALL_FACTOR = 1.5;

/** What a {@link ConnectionPair} is made of. */
interface ConnectionPairParts {
  readonly template: Template;
  readonly wheel: TimerWheel;
  /** The deadline of one round trip, in ms. */
  readonly commandTimeout: number;
  /** @default 'auto' */
  readonly pubsub?: PubSubOption;
  /** Undefined where no replicas have to acknowledge. */
  readonly acks?: ReplicaAcks | undefined;
  /** Called once for each warning. */
  readonly warn?: WarningListener;
}

/**
 * The two connections of a module instance: one sends scripts, one subscribes; in a cluster two for each node. The library made
 * them, so the library closes them.
 */
export class ConnectionPair implements Backend {
  readonly commands: CommandConnection;
  readonly subscriber: Subscriber;
  readonly mode: PubSubMode;
  readonly #stallTimeout: number;
  readonly #map: ClusterMap | undefined;
  readonly #warnings = new Set<string>();

  constructor(private readonly parts: ConnectionPairParts) {
    const { template, wheel, pubsub = 'auto', acks } = parts;
    this.#stallTimeout = parts.commandTimeout * STALL_FACTOR;
    this.mode = new PubSubMode(template.isCluster, pubsub);
    const client = template.create('commands');
    const lifecycle = this.#follow(client);
    this.#map = 'nodes' in client ? new ClusterMap(client, lifecycle.trouble) : undefined;
    if ('nodes' in client)
      watchNodes(client, lifecycle.trouble, {
        resp3: template.resp3,
        wheel,
        warn: (warning, why) => this.#warnOnce(warning, why),
      });
    this.commands = new CommandConnection({
      lifecycle,
      mode: this.mode,
      wheel,
      stallTimeout: this.#stallTimeout,
      restart: () => this.#restart(),
      map: this.#map,
      nodeOptions: template.nodeOptions('commands'),
      acked: acks && { acks, server: 'nodes' in client ? undefined : client },
    });
    this.subscriber = this.#listen(this.#map);
  }

  get keyPrefix(): string {
    return this.parts.template.keyPrefix;
  }

  get isCluster(): boolean {
    return this.parts.template.isCluster;
  }

  /** Whether PUBLISH counts the receivers of the whole fleet: not in a cluster where each node counts its own. */
  get countsAllReceivers(): boolean {
    return !this.parts.template.isCluster || this.mode.isSharded;
  }

  /**
   * Connects both and waits until they are ready; with `lazyConnect` it does nothing, and the first command connects.
   * @throws LockUnavailableError that names the address and the cause
   */
  async open(): Promise<void> {
    if (this.parts.template.lazy) return;
    try {
      await this.ready();
    } catch (error) {
      const cause = RedisFailure.from(error);
      const { isMismatch, isRefusal } = this.commands.lifecycle.trouble;
      await this.close();
      const { address } = this.parts.template;
      const why = cause.message.replace(/\.$/, '');
      const problem = isMismatch
        ? 'does not match the redis options'
        : `could not be reached within ${BOOT_TIMEOUT} ms`;
      // A server that refuses the options does not accept them later either.
      const lazily = ' Set lazyConnect: true in the redis options to start without it.';
      throw new LockUnavailableError(
        undefined,
        `Redis at ${address} ${problem}: ${why}.${isRefusal ? '' : lazily}`,
        { cause },
        'UNAVAILABLE',
        isRefusal ? remedyForOptions(why) : undefined,
      );
    }
  }

  /** Connects both; the attempts go on after the time is over. @throws RedisFailure when they are not ready in time */
  async ready(): Promise<void> {
    const commands = this.commands.lifecycle.untilReady(BOOT_TIMEOUT);
    if (this.#map !== undefined) {
      // The answers to its commands show where a cluster's channels are.
      await commands;
      // Its cluster replaces a node that stands still.
      await this.parts.wheel.within(this.parts.commandTimeout, this.#map.connectMasters());
    }
    await Promise.all([commands, this.subscriber.untilReady(BOOT_TIMEOUT)]);
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.close(), this.subscriber.close()]);
  }

  #listen(map: ClusterMap | undefined): Subscriber {
    const { template, wheel } = this.parts;
    if (map === undefined) {
      const lifecycle = this.#follow(template.create('subscriber'));
      const stalled = () => this.#restart();
      return new SubscriberConnection({ lifecycle, wheel, stallTimeout: this.#stallTimeout, stalled });
    }
    const connect = (node: NodeKey) => {
      const client = map.connect(node, template.nodeOptions('subscriber'));
      if (client === undefined) return undefined;
      const lifecycle = this.#follow(client);
      const { isSharded } = this.mode;
      const stalled = () => lifecycle.restart();
      return new SubscriberConnection({
        lifecycle,
        wheel,
        stallTimeout: this.#stallTimeout,
        stalled,
        isSharded,
      });
    };
    const start = () => this.commands.lifecycle.start();
    return new ClusterSubscriber({ map, mode: this.mode, wheel, connect, start });
  }

  #follow(client: Client): ClientLifecycle {
    const { isCluster, resp3, address } = this.parts.template;
    // Version 6 types every reply by its mapping; the port declares the members in use, for both versions.
    const port: ClientPort = client;
    const lifecycle = new ClientLifecycle(port, this.parts.wheel, this.parts.commandTimeout, address);
    // In a cluster the connections are those of its nodes.
    if (isCluster) return lifecycle;
    HandshakeCheck.on(client, { master: true, resp3 }, (warning, why) => this.#warnOnce(warning, why));
    watchSentinels(client, lifecycle.trouble, (why) => this.#warnOnce('sentinel-away', why));
    return lifecycle;
  }

  /** Reports each reason once: two connections, and each of their attempts, give the same one. */
  #warnOnce(warning: HandshakeWarning, why: string): void {
    const text = `${warning} ${why}`;
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.parts.warn?.(warning, why);
  }

  /** A connection that swallows commands swallows messages, too; and a demoted master publishes no messages. */
  #restart(): void {
    this.commands.lifecycle.restart();
    this.subscriber.restart();
  }
}
